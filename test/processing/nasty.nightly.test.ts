import { testHostileFiles } from './hostile-files.ts';

testHostileFiles(['jpeg', 'png', 'avif']);
