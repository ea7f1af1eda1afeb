import { testZips } from './many-files.ts';

testZips([65_534, 65_535]);
