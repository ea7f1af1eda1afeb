import { CALLS, testKilledAtEachWrite } from './killed-at-each-write.ts';

testKilledAtEachWrite({ calls: CALLS.filter(({ name }) => name === 'addImages'), step: 2 });
