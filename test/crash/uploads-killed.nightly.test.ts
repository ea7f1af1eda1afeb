import { testKilledUploads } from './uploads-killed.ts';

testKilledUploads(500);
