import { testHostileFiles } from './hostile-files.ts';

testHostileFiles({ settings: { QUALITY_SEARCH: 'on' }, formats: ['original', 'jpeg'] });
