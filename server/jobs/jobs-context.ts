import type { JobRecord, Repositories } from '../db/index.ts';
import type { Logger, Metrics } from '../observability/index.ts';
import type { Admission } from './admission.ts';
import type { JobsConfig } from './config.ts';
import type { Settlement } from './finish-job.ts';
import type { JobKinds } from './job-kind.ts';
import type { JobRunner } from './job-runner.ts';

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

/** State of the jobs module. */
export interface JobsContext extends Pick<JobsDeps, 'repositories' | 'kinds' | 'requireSession' | 'settle' | 'logger'> {
  instanceId: string;
  leaseMs: number;
  now: () => Date;
  admission: Admission;
  runner: JobRunner;
  /** Ids of jobs whose removal is in progress: the recovery must not start them. */
  discarded: Set<string>;
  /** Aborts when this process has drained its jobs. */
  closing: AbortController;
}

/** Returns the end of a lease that begins now. */
export function leaseEnd({ now, leaseMs }: JobsContext): Date {
  return new Date(now().getTime() + leaseMs);
}
