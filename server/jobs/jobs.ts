import { randomUUID } from 'node:crypto';
import type { Job } from '#contract';
import { outlastOutage } from '../concurrency.ts';
import type { JobRecord } from '../db/index.ts';
import { createAdmission } from './admission.ts';
import { cancelJob, reopenJob, stopJobsOfSession } from './control-jobs.ts';
import { createJob, discardJob, type NewJob } from './create-job.ts';
import type { NumberedEvent } from './event-log.ts';
import { createJobFeeds } from './job-feeds.ts';
import { createJobHistory } from './job-history.ts';
import type { JobsContext, JobsDeps } from './jobs-context.ts';
import { findJob, followJob, isStarted, listJobs, outcomeOf, readJob } from './read-jobs.ts';
import { createRecovery } from './recovery.ts';
import { drainJobs, forgetEnded, lookAfterJobs, startJob } from './run-jobs.ts';

/** Creates the jobs module. A job of another account gets the same response as one that does not exist. */
export function createJobs(deps: JobsDeps) {
  const context = createContext(deps);
  const { admission, live, repositories, feeds, config } = context;
  const recovery = createRecovery(context);
  const stopWatching = lookAfterJobs(context);

  return {
    find: (accountId: string, jobId: string) => findJob(context, accountId, jobId),
    isUnderWay: (accountId: string, jobId: string) => isStarted(context, accountId, jobId),
    create: (order: NewJob) => createJob(context, order),
    discard: (job: JobRecord) => discardJob(context, job),

    /** Starts a job that has been paid for. Does not wait for its end. */
    start: (job: JobRecord): void => startJob(context, job),

    /** Yields the events of a job after the number `after`; see {@link followJob}. */
    follow: (job: JobRecord, after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent> =>
      followJob(context, job, after, signal),

    show: (accountId: string, jobId: string): Promise<Job> => readJob(context, accountId, jobId),
    list: (accountId: string, sessionId: string): Promise<Job[]> => listJobs(context, accountId, sessionId),
    history: createJobHistory({ repositories }),
    cancel: (accountId: string, jobId: string): Promise<Job> => cancelJob(context, accountId, jobId),
    reopen: (accountId: string, jobId: string) => reopenJob(context, accountId, jobId),
    stopSession: (sessionId: string) => stopJobsOfSession(context, sessionId),
    outcomeOf: (accountId: string, jobId: string) => outcomeOf(context, accountId, jobId),

    /** Takes over interrupted jobs and returns their number; with `alone`, all jobs of other processes. */
    recover: (options?: { alone?: boolean }): Promise<number> =>
      config.ROLE === 'api' ? forgetEnded(context) : recovery(options),

    /** Counts the images that wait and the jobs that run in this process. */
    stats: () => ({ waiting: admission.waiting, jobs: live.size }),

    /** Refuses new jobs from now on. */
    close: () => admission.close(),

    /** Refuses new jobs, waits up to `waitMs` for running ones and releases the others to another process. */
    async drain(waitMs: number): Promise<void> {
      admission.close();
      await drainJobs(context, waitMs);
      stopWatching();
      feeds.close();
    },
  };
}

/** The jobs module. */
export type Jobs = ReturnType<typeof createJobs>;

function createContext(deps: JobsDeps): JobsContext {
  const { repositories, kinds, config } = deps;
  const leaving = new AbortController();
  return {
    isAlone: false,
    freeWorkers: () => 0,
    now: () => new Date(),
    monotonicNow: () => performance.now(),
    ...deps,
    instanceId: randomUUID(),
    leaseMs: config.LEASE_SECONDS * 1000,
    admission: createAdmission({ maxQueuedImages: config.MAX_QUEUED_IMAGES }),
    feeds: createJobFeeds({ repositories, kinds }),
    live: new Map(),
    helped: new Map(),
    away: new Set(),
    discarded: new Set(),
    leaving,
    outlast: (work) => outlastOutage(work, leaving.signal),
  };
}
