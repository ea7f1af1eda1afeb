import { testMalformedBodies } from './malformed-bodies.ts';

testMalformedBodies(300);
