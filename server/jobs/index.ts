// Owns jobs: admission, leases, resumable events, recovery, exactly one end each. Must not know pixels, credits, keys or
// HTTP: the kind of a job defines the processing of an image.
export type { JobRecord } from '../db/index.ts';
export type { JobsConfig } from './config.ts';
export type { NumberedEvent } from './event-log.ts';
export type { JobKind, JobKinds, JobTask, PlannedJob, Settlement, TaskOptions } from './job-kind.ts';
export type { NewJob } from './jobs.ts';
export { createJobs, type Jobs } from './jobs.ts';
