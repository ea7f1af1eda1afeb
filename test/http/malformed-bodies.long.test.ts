import { testMalformedBodies } from './malformed-bodies.ts';

testMalformedBodies(2_500);
