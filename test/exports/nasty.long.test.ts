import { testHostileFiles } from './hostile-files.ts';

testHostileFiles({ settings: {}, formats: [] });
