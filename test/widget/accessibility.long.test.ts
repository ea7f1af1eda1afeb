import { testAccessibility } from './accessibility.ts';

testAccessibility(['left to right', 'right to left', 'forced colours']);
