import { testAccessibility } from './accessibility.ts';

testAccessibility(['left to right']);
