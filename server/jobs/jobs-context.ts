import type { JobRecord, Repositories } from '../db/index.ts';
import type { Logger, Metrics } from '../observability/index.ts';
import type { Admission } from './admission.ts';
import type { JobsConfig } from './config.ts';
import type { JobFeeds } from './job-feeds.ts';
import type { JobKinds, Settlement } from './job-kind.ts';
import type { Listening } from './listening.ts';

/** Interval at which this process looks for what other servers did to its jobs, in milliseconds. */
export const LOOK_EVERY_MS = 100;

/** Dependencies of {@link createJobs}. */
export interface JobsDeps {
  repositories: Pick<Repositories, 'jobs' | 'jobImages' | 'jobEvents' | 'images' | 'imageResults' | 'jobHistory'>;
  kinds: JobKinds;
  /** Rejects when a session does not exist. */
  requireSession: (accountId: string, sessionId: string) => Promise<unknown>;
  /** Refunds what was charged for images that were not delivered; repeating it for the same job changes nothing. */
  settle: (job: JobRecord, delivered: number) => Promise<Settlement>;
  /** Returns true when a job was charged; called for jobs that were not started before an interruption. */
  isPaid: (job: JobRecord) => Promise<boolean>;
  config: JobsConfig;
  /** True if no other server uses the data. @default false */
  isAlone?: boolean;
  /** Workers of this process that have nothing to do. @default none */
  freeWorkers?: () => number;
  logger: Logger;
  metrics: Metrics;
  now?: () => Date;
  /** Monotonic clock, in milliseconds. */
  monotonicNow?: () => number;
}

/** A job on which this process works. */
export interface Working {
  job: JobRecord;
  /** Aborts with a {@link StopReason} or {@link Handover}. */
  abort: AbortController;
  /** Resolves when the work has ended. */
  ended: Promise<void>;
}

/** A job that this process leads: it ends the job. */
export interface LiveJob extends Working {
  listening: Listening;
}

/** State of the jobs module. */
export interface JobsContext extends Required<JobsDeps> {
  /** This process in leases and blocks. */
  instanceId: string;
  leaseMs: number;
  admission: Admission;
  feeds: JobFeeds;
  /** Jobs that this process leads, by id. */
  live: Map<string, LiveJob>;
  /** Jobs of other servers of which this process takes blocks, by id. */
  helped: Map<string, Working>;
  /** Ids of jobs that were left to workers and have not ended: they keep their room, so that overload is refused. */
  away: Set<string>;
  /** Ids of jobs whose removal is in progress: the recovery must not start them. */
  discarded: Set<string>;
  /** Aborts when this process hands its jobs over. */
  leaving: AbortController;
  /** Repeats work during a database outage, until this process hands its jobs over. */
  outlast: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Returns the end of a lease that begins now. */
export function leaseEnd({ now, leaseMs }: JobsContext): Date {
  return new Date(now().getTime() + leaseMs);
}
