import { CALLS, testKilledAtEachWrite } from './killed-at-each-write.ts';

// 212 ends in all: half an hour on a busy machine for a job, minutes for an upload.
testKilledAtEachWrite({ calls: CALLS, step: 1 });
