import { testMalformedBodies } from './malformed-bodies.ts';

testMalformedBodies(1_000);
