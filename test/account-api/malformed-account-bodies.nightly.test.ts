import { testMalformedAccountBodies } from './malformed-account-bodies.ts';

testMalformedAccountBodies(3000);
