import { testHostileFiles } from './hostile-files.ts';

testHostileFiles(['webp', 'original']);
