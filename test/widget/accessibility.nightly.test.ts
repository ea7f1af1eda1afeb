import { ALL_LOOKS, testAccessibility } from './accessibility.ts';

testAccessibility(ALL_LOOKS);
