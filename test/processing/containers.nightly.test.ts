import { testDamagedFiles } from './damaged-files.ts';

testDamagedFiles({ step: 1, decodes: 40 });
