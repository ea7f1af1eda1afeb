import { testAccessibility } from './accessibility.ts';

testAccessibility('light');
