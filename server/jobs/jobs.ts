import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, type JobKindName, type JobState, UNFINISHED_JOB_STATES } from '#contract';
import type { JobImage, JobRecord, Repositories } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Logger, Metrics } from '../observability/index.ts';
import { createAdmission } from './admission.ts';
import type { JobsConfig } from './config.ts';
import { outlastOutage } from './database-outage.ts';
import type { NumberedEvent } from './event-log.ts';
import type { Settlement } from './finish-job.ts';
import { createFollowJob } from './follow-job.ts';
import { createJobHistory } from './job-history.ts';
import type { JobKinds } from './job-kind.ts';
import { createJobRunner } from './job-runner.ts';
import { createRecovery } from './recovery.ts';
import { showJob } from './show-job.ts';

interface JobsDeps {
  repositories: Pick<Repositories, 'jobs' | 'images' | 'imageResults' | 'jobHistory'>;
  kinds: JobKinds;
  /** Rejects when a session is not there any more. */
  requireSession: (accountId: string, sessionId: string) => Promise<unknown>;
  /** Gives back what was charged for images that were not done; the same job twice changes nothing. */
  settle: (job: JobRecord, completed: number) => Promise<Settlement>;
  /** Tells whether a job was charged; asked for jobs that an interruption left unstarted. */
  isPaid: (job: JobRecord) => Promise<boolean>;
  config: JobsConfig;
  logger: Logger;
  metrics: Metrics;
  now?: () => Date;
  /** Monotonic clock, in milliseconds. */
  monotonicNow?: () => number;
}

/** What a job is made from, after its kind has found the request good. */
export interface NewJob {
  /** Id that was given out for this job before, so that a repeated request finds it. */
  jobId: string;
  accountId: string;
  sessionId: string;
  kind: JobKindName;
  images: JobImage[];
  settings: unknown;
}

const JOBS_SHOWN = 50;
/** A refused caller waits this long for the job to be gone. */
const DISCARD_WAIT_MS = 300;
const STOP_POLL_MS = 100;

/** Builds the jobs module. Another account's job answers exactly as one that does not exist. */
export function createJobs(deps: JobsDeps) {
  const { repositories, kinds, requireSession, settle, isPaid, config, logger, metrics } = deps;
  const { now = () => new Date(), monotonicNow = () => performance.now() } = deps;
  const { jobs, imageResults } = repositories;
  const instanceId = randomUUID();
  const leaseMs = config.LEASE_SECONDS * 1000;
  const discarded = new Set<string>();
  const closing = new AbortController();
  const admission = createAdmission({ maxQueuedImages: config.MAX_QUEUED_IMAGES });
  const owner = { instanceId, leaseMs, logger, now, monotonicNow };
  const runner = createJobRunner({ repositories, kinds, admission, settle, metrics, ...owner });
  const resumeMs = config.RESUME_MINUTES * 60_000;
  const recovery = createRecovery({
    repositories,
    runner,
    isPaid: async (job) => !discarded.has(job._id) && isPaid(job),
    resumeMs,
    ...owner,
  });
  const followJob = createFollowJob({ repositories, runner, kinds });

  /** A job whose caller was refused may have been charged all the same, when the answer to the charge was lost. */
  async function undoCharge(job: JobRecord, removed: Promise<void>): Promise<void> {
    try {
      await removed;
      await outlastOutage(() => settle(job, 0), closing.signal);
    } catch (error) {
      logger.warn({ err: error, jobId: job._id }, 'a refused job is left to the recovery');
    }
  }

  /** Gives back the room of a job that was not made; meanwhile the recovery may have taken up one of this id. */
  function releaseRoom(jobId: string): void {
    if (!runner.has(jobId)) admission.forget(jobId);
  }

  async function find(accountId: string, jobId: string): Promise<JobRecord> {
    const job = await jobs.find(accountId, jobId);
    if (!job) throw new AppError('job_not_found', `No job ${jobId}`);
    return job;
  }

  return {
    find,

    /** Tells whether the account has a job that was really started, here or elsewhere, and so has or will have events. */
    async isUnderWay(accountId: string, jobId: string): Promise<boolean> {
      const job = await jobs.find(accountId, jobId);
      return job !== null && (job.state !== 'created' || runner.has(jobId));
    },

    /**
     * Takes room for a job and writes it down, before anything is charged.
     * @returns null when there is a job of this id already
     * @throws overloaded, shutting_down, session_not_found
     */
    async create({ jobId, ...asked }: NewJob): Promise<JobRecord | null> {
      if (!admission.admit(jobId, asked.images.length)) return null;
      const job: JobRecord = {
        _id: jobId,
        ...asked,
        state: 'created',
        createdAt: now(),
        finishedAt: null,
        leaseOwner: instanceId,
        leaseUntil: new Date(now().getTime() + leaseMs),
        attempts: 0,
        crashes: 0,
        stopRequested: null,
        lastEvent: null,
        summary: null,
        credits: null,
        error: null,
      };
      let inserted = false;
      try {
        inserted = await jobs.insert(job);
        // A session that was deleted since the look-up has removed its jobs before this one came.
        if (inserted) await requireSession(job.accountId, job.sessionId);
      } catch (error) {
        if (inserted) await this.discard(job);
        else releaseRoom(jobId);
        throw error;
      }
      if (inserted) return job;
      releaseRoom(jobId);
      return null;
    },

    /** Forgets a job that was not charged, as far as one can tell. In an outage the caller does not wait for it. */
    async discard(job: JobRecord): Promise<void> {
      admission.forget(job._id);
      discarded.add(job._id);
      const removed = outlastOutage(() => jobs.remove(job._id), closing.signal);
      void undoCharge(job, removed).finally(() => discarded.delete(job._id));
      await Promise.race([removed, sleep(DISCARD_WAIT_MS, undefined, { ref: false })]);
    },

    /** Starts a job that has been paid for. Does not wait for its end. */
    start: (job: JobRecord): void => runner.start(job),

    /** Events of a job after the number `after`; see {@link createFollowJob}. */
    follow: (job: JobRecord, after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent> =>
      followJob(job, after, signal),

    /** A job with its results. @throws job_not_found */
    async show(accountId: string, jobId: string): Promise<Job> {
      const job = await find(accountId, jobId);
      return showJob(job, kinds[job.kind], await imageResults.findOfJob(jobId));
    },

    /** A session's newest jobs, without results. */
    async list(accountId: string, sessionId: string): Promise<Job[]> {
      const found = await jobs.findOfSession(accountId, sessionId, JOBS_SHOWN);
      return Promise.all(
        found.map(async (job) => showJob(job, kinds[job.kind], await imageResults.countOfJob(job._id))),
      );
    },

    history: createJobHistory({ repositories }),

    /** Cancels a job; what was not done is given back. @throws job_not_found, job_finished */
    async cancel(accountId: string, jobId: string): Promise<Job> {
      const job = await find(accountId, jobId);
      const requested = isUnfinished(job) && (await jobs.requestCancel(accountId, jobId));
      if (!requested)
        throw new AppError('job_finished', `Job ${jobId} has already ended`, { details: { status: job.state } });
      await runner.stop(jobId, 'job_cancelled');
      return this.show(accountId, jobId);
    },

    /**
     * Takes up a job that ended because nobody listened, for a caller who comes back to it. What was done stays done.
     * @returns false when it ended otherwise, or cost something and was settled
     */
    async reopen(accountId: string, jobId: string): Promise<boolean> {
      const leaseUntil = new Date(now().getTime() + leaseMs);
      const job = await jobs.reopen(accountId, jobId, instanceId, leaseUntil);
      if (!job) return false;
      await imageResults.removeFailures(jobId, 'client_left');
      const earlier = await imageResults.findOfJob(jobId);
      // Its end may be written, and the work on it here not quite over.
      await runner.ended(jobId);
      runner.start(job, null, earlier);
      return true;
    },

    /**
     * Stops the jobs of a session on whatever server they run, before its files are removed.
     * @returns false when one of them has not ended in time
     */
    async stopSession(sessionId: string): Promise<boolean> {
      const deadline = performance.now() + leaseMs * 2;
      await jobs.requestStopOfSession(sessionId);
      for (;;) {
        await runner.stopSession(sessionId);
        if (!(await jobs.hasUnfinished(sessionId))) return true;
        if (performance.now() > deadline) return false;
        // A job that is being paid for starts and stops at once; one of a dead server is taken up when its lease ends.
        await sleep(STOP_POLL_MS);
        await jobs.requestStopOfSession(sessionId);
      }
    },

    /** What became of a job, for whoever charged for it; null when there is no such job. */
    async outcomeOf(accountId: string, jobId: string) {
      const job = await jobs.find(accountId, jobId);
      if (!job) return null;
      if (isUnfinished(job)) return 'running' as const;
      const results = await imageResults.findOfJob(jobId);
      const completed = results.filter(({ result }) => result.status === 'completed').length;
      return { total: job.images.length, completed };
    },

    /** Takes up interrupted jobs; `alone`: all that are not this process's. @returns how many */
    recover: recovery.sweep,

    /** Images that wait, and jobs that run, in this process. */
    stats: () => ({ waiting: admission.waiting, jobs: runner.size }),

    /** Admits nothing more. */
    close: () => admission.close(),

    /** Admits nothing more, waits up to `waitMs` for running jobs and hands the rest over. */
    async drain(waitMs: number): Promise<void> {
      admission.close();
      await runner.drain(waitMs);
      closing.abort();
    },
  };
}

/** The jobs module. */
export type Jobs = ReturnType<typeof createJobs>;

function isUnfinished({ state }: { state: JobState }): boolean {
  return (UNFINISHED_JOB_STATES as readonly JobState[]).includes(state);
}
