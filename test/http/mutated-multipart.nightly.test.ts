import { testMutatedBodies } from './mutated-multipart.ts';

testMutatedBodies(4000);
