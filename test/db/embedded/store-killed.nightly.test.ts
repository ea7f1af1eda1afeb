import { testKilledStore } from './store-killed.ts';

testKilledStore(Number(process.env.IMAGEWRIGHT_KILL_ROUNDS ?? 20));
