// Owns copies of all that a service on one machine keeps: embedded database, files, secrets. Must not know what they mean.
export { backUp } from './back-up.ts';
export { requireNoHalfRestore, restore } from './restore.ts';
