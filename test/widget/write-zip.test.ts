import { testZips } from './many-files.ts';

testZips([2, 300]);
