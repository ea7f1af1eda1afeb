import { testKilledServer } from './server-killed.ts';

testKilledServer(3);
