import { testKilledStore } from './store-killed.ts';

testKilledStore(3);
