// Owns what servers of one database share out among them: periodic work. Must not know what the work does.
export { type Chore, createChores, keepFiles, keepFilesNoMore, keepFilesUntil, requireHold } from './chores.ts';
