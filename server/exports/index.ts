// Owns export and sample jobs: their events, recovery, the variant cache, exported files. Never sees credits, plans or keys.

export type { JobRecord } from '../db/index.ts';
export type { NumberedEvent } from './event-log.ts';
export { createExports, type Exports, type JobRequest } from './exports.ts';
export type { Settlement } from './finish-job.ts';
