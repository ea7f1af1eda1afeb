// Owns jobs: admission, leases, events that can be resumed, recovery, one end each. Knows no pixels, credits, keys or HTTP;
// what is done with an image is the kind's business.
export type { JobRecord } from '../db/index.ts';
export type { JobsConfig } from './config.ts';
export type { NumberedEvent } from './event-log.ts';
export type { Settlement } from './finish-job.ts';
export type { JobKind, JobKinds, JobTask, TaskOptions } from './job-kind.ts';
export { createJobs, type Jobs, type NewJob } from './jobs.ts';
