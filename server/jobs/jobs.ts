import { randomUUID } from 'node:crypto';
import type { Job } from '#contract';
import type { JobRecord } from '../db/index.ts';
import { createAdmission } from './admission.ts';
import { cancelJob, reopenJob, stopJobsOfSession } from './control-jobs.ts';
import { createJob, discardJob, type NewJob } from './create-job.ts';
import type { NumberedEvent } from './event-log.ts';
import { createFollowJob } from './follow-job.ts';
import { createHandOver } from './hand-over.ts';
import { createHelper } from './help-jobs.ts';
import { createJobFeeds } from './job-feeds.ts';
import { createJobHistory } from './job-history.ts';
import { createJobRunner, type JobRunner } from './job-runner.ts';
import type { JobsContext, JobsDeps } from './jobs-context.ts';
import { findJob, isStarted, listJobs, outcomeOf, readJob } from './read-jobs.ts';
import { createRecovery } from './recovery.ts';

/** Creates the jobs module. A job of another account gets the same response as one that does not exist. */
export function createJobs(deps: JobsDeps) {
  const { context, sweep, feeds, helper } = openContext(deps);
  const { admission, runner, closing, repositories } = context;
  const followJob = createFollowJob({ repositories, runner, feeds });

  return {
    find: (accountId: string, jobId: string) => findJob(context, accountId, jobId),
    isUnderWay: (accountId: string, jobId: string) => isStarted(context, accountId, jobId),
    create: (order: NewJob) => createJob(context, order),
    discard: (job: JobRecord) => discardJob(context, job),

    /** Starts a job that has been paid for. Does not wait for its end. */
    start: (job: JobRecord): void => runner.start(job),

    /** Yields the events of a job after the number `after`; see {@link createFollowJob}. */
    follow: (job: JobRecord, after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent> =>
      followJob(job, after, signal),

    show: (accountId: string, jobId: string): Promise<Job> => readJob(context, accountId, jobId),
    list: (accountId: string, sessionId: string): Promise<Job[]> => listJobs(context, accountId, sessionId),
    history: createJobHistory({ repositories }),
    cancel: (accountId: string, jobId: string): Promise<Job> => cancelJob(context, accountId, jobId),
    reopen: (accountId: string, jobId: string) => reopenJob(context, accountId, jobId),
    stopSession: (sessionId: string) => stopJobsOfSession(context, sessionId),
    outcomeOf: (accountId: string, jobId: string) => outcomeOf(context, accountId, jobId),

    /** Takes over interrupted jobs and returns their number; with `alone`, all jobs of other processes. */
    recover: sweep,

    /** Counts the images that wait and the jobs that run in this process. */
    stats: () => ({ waiting: admission.waiting, jobs: runner.size }),

    /** Refuses new jobs from now on. */
    close: () => admission.close(),

    /** Refuses new jobs, waits up to `waitMs` for running ones and releases the others to another process. */
    async drain(waitMs: number): Promise<void> {
      admission.close();
      await Promise.all([helper?.close(), runner.drain(waitMs)]);
      closing.abort();
      feeds.close();
    },
  };
}

/** The jobs module. */
export type Jobs = ReturnType<typeof createJobs>;

function openContext(deps: JobsDeps) {
  const { repositories, kinds, isPaid, config, logger, metrics, settle, requireSession } = deps;
  const {
    now = () => new Date(),
    monotonicNow = () => performance.now(),
    isAlone = false,
    freeWorkers = () => 0,
  } = deps;
  const discarded = new Set<string>();
  const admission = createAdmission({ maxQueuedImages: config.MAX_QUEUED_IMAGES });
  const owner = { instanceId: randomUUID(), leaseMs: config.LEASE_SECONDS * 1000, logger, now, monotonicNow };
  const feeds = createJobFeeds({ repositories, kinds });
  const work = { repositories, kinds, feeds, admission, settle, metrics, isAlone, ...owner };
  const ownRunner = createJobRunner(work);
  const handOver = config.ROLE === 'api' ? createHandOver({ ...work, ...owner }) : null;
  const runner: JobRunner = handOver ? Object.assign(ownRunner, { start: handOver.start }) : ownRunner;
  const helper = isAlone || handOver ? null : createHelper({ ...work, freeWorkers });
  const recovery = createRecovery({
    repositories,
    runner,
    isPaid: async (job) => !discarded.has(job._id) && isPaid(job),
    resumeMs: config.RESUME_MINUTES * 60_000,
    ...owner,
  });
  const sweep = handOver?.sweep ?? recovery.sweep;
  const closing = new AbortController();
  closing.signal.addEventListener('abort', () => handOver?.close());
  const shared = { repositories, kinds, requireSession, settle, logger };
  const { instanceId, leaseMs } = owner;
  const context: JobsContext = { ...shared, instanceId, leaseMs, now, admission, runner, discarded, closing };
  return { context, sweep, feeds, helper };
}
