import { testKilledServer } from './server-killed.ts';

testKilledServer(Number(process.env.IMAGEWRIGHT_KILL_ROUNDS ?? 20));
