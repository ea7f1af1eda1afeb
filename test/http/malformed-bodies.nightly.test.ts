import { testMalformedBodies } from './malformed-bodies.ts';

testMalformedBodies(10_000);
