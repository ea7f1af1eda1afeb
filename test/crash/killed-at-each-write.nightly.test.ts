import { CALLS, testKilledAtEachWrite } from './killed-at-each-write.ts';

testKilledAtEachWrite({ calls: CALLS, step: 1 });
