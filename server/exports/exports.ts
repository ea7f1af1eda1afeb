import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExportRequest, type Job, type JobState, SAMPLE_SUFFIX } from '#contract';
import type { JobRecord, OutputFile, Repositories } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Logger, Metrics } from '../observability/index.ts';
import { filenameKey, type Processor } from '../processing/index.ts';
import type { Sessions } from '../sessions/index.ts';
import type { FileStore } from '../storage/index.ts';
import { createAdmission } from './admission.ts';
import { outlastOutage } from './database-outage.ts';
import type { NumberedEvent } from './event-log.ts';
import { exportImage } from './export-image.ts';
import type { Settlement } from './finish-job.ts';
import { createFollowJob } from './follow-job.ts';
import { createJobRunner } from './job-runner.ts';
import { resolveImages } from './prepare-job.ts';
import { createRecovery } from './recovery.ts';
import { showJob } from './show-job.ts';
import { createVariantCache } from './variant-cache.ts';

interface ExportsDeps {
  repositories: Pick<Repositories, 'jobs' | 'images' | 'imageResults' | 'outputs' | 'cachedVariants'>;
  sessions: Sessions;
  store: FileStore;
  processor: Processor;
  /** Gives back what was charged for images that were not exported; the same job twice changes nothing. */
  settle: (job: JobRecord, completed: number) => Promise<Settlement>;
  /** Tells whether a job was charged; asked for jobs that an interruption left unstarted. */
  isPaid: (job: JobRecord) => Promise<boolean>;
  config: {
    MAX_QUEUED_IMAGES: number;
    LEASE_SECONDS: number;
    RESUME_MINUTES: number;
    VARIANT_CACHE_HOURS: number;
    VARIANT_CACHE_MB: number;
  };
  logger: Logger;
  metrics: Metrics;
  now?: () => Date;
}

/** What a job is prepared from. */
export interface JobRequest {
  accountId: string;
  sessionId: string;
  kind: 'export' | 'sample';
  /** Id that was given out for this job before, so that a repeated request finds it. */
  jobId: string;
  body: ExportRequest;
}

const UNFINISHED: JobState[] = ['created', 'charged', 'processing'];
const JOBS_SHOWN = 50;
/** A refused caller waits this long for the job to be gone. */
const DISCARD_WAIT_MS = 300;

/** Builds the exports module: jobs that turn uploaded images into files. Another account's job does not exist. */
export function createExports(deps: ExportsDeps) {
  const { repositories, sessions, store, processor, config, logger, metrics, now = () => new Date() } = deps;
  const { jobs } = repositories;
  const instanceId = randomUUID();
  const leaseMs = config.LEASE_SECONDS * 1000;
  const discarded = new Set<string>();
  const closing = new AbortController();
  const admission = createAdmission({ maxQueuedImages: config.MAX_QUEUED_IMAGES });
  const cache = createVariantCache({
    cachedVariants: repositories.cachedVariants,
    store,
    processor,
    logger,
    config,
    now,
  });
  const runner = createJobRunner({
    repositories,
    exportImage: (task, options) =>
      exportImage(task, { ...options, group: task.job._id }, { cache, outputs: repositories.outputs, store, now }),
    admission,
    settle: deps.settle,
    instanceId,
    leaseMs,
    // More images than workers, so that no worker waits while results are written.
    concurrency: processor.stats().workers + 2,
    logger,
    metrics,
    now,
  });
  const recovery = createRecovery({
    repositories,
    runner,
    admission,
    isPaid: async (job) => !discarded.has(job._id) && deps.isPaid(job),
    instanceId,
    leaseMs,
    resumeMs: config.RESUME_MINUTES * 60_000,
    logger,
    now,
  });
  const followJob = createFollowJob({ repositories, runner });

  /** A job whose caller was refused may have been charged all the same, when the answer to the charge was lost. */
  async function undoCharge(job: JobRecord, removed: Promise<void>): Promise<void> {
    try {
      await removed;
      await outlastOutage(() => deps.settle(job, 0), closing.signal);
    } catch (error) {
      logger.warn({ err: error, jobId: job._id }, 'a refused job is left to the recovery');
    }
  }

  async function find(accountId: string, jobId: string): Promise<JobRecord> {
    const job = await jobs.find(accountId, jobId);
    if (!job) throw new AppError('job_not_found', `No job ${jobId}`);
    return job;
  }

  return {
    /** Tells whether the account has a job that was really started, here or elsewhere, and so has or will have events. */
    async isUnderWay(accountId: string, jobId: string): Promise<boolean> {
      const job = await jobs.find(accountId, jobId);
      return job !== null && (job.state !== 'created' || runner.logOf(jobId) !== undefined);
    },

    /**
     * Checks a request, takes room for it and writes the job down, before anything is charged.
     * @throws session_not_found, image_not_found, duplicate_image, sample_limit_exceeded, session_mismatch,
     *   upload_path_mismatch, overloaded, shutting_down
     */
    async prepare({ accountId, sessionId, kind, jobId, body }: JobRequest): Promise<JobRecord> {
      const held = await sessions.findImages(accountId, sessionId);
      const images = resolveImages(body, { kind, sessionId, images: held });
      admission.admit(jobId, images.length);
      const job: JobRecord = {
        _id: jobId,
        accountId,
        sessionId,
        kind,
        state: 'created',
        images,
        settings: body.settings,
        createdAt: now(),
        finishedAt: null,
        leaseOwner: instanceId,
        leaseUntil: new Date(now().getTime() + leaseMs),
        attempts: 0,
        cancelRequested: false,
        lastEvent: null,
        summary: null,
        credits: null,
        error: null,
      };
      let inserted = false;
      try {
        inserted = await jobs.insert(job);
        if (inserted) {
          // A session that was deleted since the look-up has removed its jobs before this one came.
          await sessions.find(accountId, sessionId);
          return job;
        }
      } catch (error) {
        if (inserted) await this.discard(job);
        admission.forget(jobId);
        throw error;
      }
      admission.forget(jobId);
      throw new AppError('idempotency_in_progress', `Job ${jobId} exists already`, { headers: { 'Retry-After': '1' } });
    },

    /** Forgets a prepared job that was not charged, as far as one can tell. In an outage the caller does not wait for it. */
    async discard(job: JobRecord): Promise<void> {
      admission.forget(job._id);
      discarded.add(job._id);
      const removed = outlastOutage(() => jobs.remove(job._id), closing.signal);
      void undoCharge(job, removed).finally(() => discarded.delete(job._id));
      await Promise.race([removed, sleep(DISCARD_WAIT_MS, undefined, { ref: false })]);
    },

    /** Starts a prepared job that has been paid for. Does not wait for its end. */
    start: (job: JobRecord): void => runner.start(job),

    /** Events of a job after the number `after`; see {@link createFollowJob}. */
    follow: (job: JobRecord, after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent> =>
      followJob(job, after, signal),

    find,

    /** A job with its results. @throws job_not_found */
    async show(accountId: string, jobId: string): Promise<Job> {
      const job = await find(accountId, jobId);
      return showJob(job, await repositories.imageResults.findOfJob(jobId));
    },

    /** A session's newest jobs, without results. */
    async list(accountId: string, sessionId: string): Promise<Job[]> {
      const found = await jobs.findOfSession(accountId, sessionId, JOBS_SHOWN);
      return Promise.all(found.map(async (job) => showJob(job, await repositories.imageResults.countOfJob(job._id))));
    },

    /** Cancels a job; what was not exported is given back. @throws job_not_found, job_finished */
    async cancel(accountId: string, jobId: string): Promise<Job> {
      const job = await find(accountId, jobId);
      const requested = UNFINISHED.includes(job.state) && (await jobs.requestCancel(accountId, jobId));
      if (!requested)
        throw new AppError('job_finished', `Job ${jobId} has already ended`, { details: { status: job.state } });
      await runner.stop(jobId, 'job_cancelled');
      return this.show(accountId, jobId);
    },

    /** An exported file by its name. @throws session_not_found, file_not_found */
    async findFile(accountId: string, namespace: string, filename: string): Promise<OutputFile & { file: string }> {
      await sessions.find(accountId, namespace.replace(SAMPLE_SUFFIX, ''));
      const record = await repositories.outputs.findByName(accountId, namespace, filenameKey(filename));
      const found = record?.files.find((file) => filenameKey(file.filename) === filenameKey(filename));
      if (!found) throw new AppError('file_not_found', `No exported file of that name in ${namespace}`);
      return { ...found, file: store.pathOf(found.path) };
    },

    /** Stops the jobs of a session, before its files are removed. */
    stopSession: (sessionId: string) => runner.stopSession(sessionId),

    /** What became of a job, for whoever charged for it; null when there is no such job. */
    async outcomeOf(accountId: string, jobId: string) {
      const job = await jobs.find(accountId, jobId);
      if (!job) return null;
      if (UNFINISHED.includes(job.state)) return 'running' as const;
      const results = await repositories.imageResults.findOfJob(jobId);
      const completed = results.filter(({ result }) => result.status === 'completed').length;
      return { total: job.images.length, completed };
    },

    /** Ends all leases: only for a store that no other process can be working on. */
    endAllLeases: () => jobs.endAllLeases(now()),

    /** Takes up interrupted jobs. @returns how many */
    recover: () => recovery.sweep(),

    /** Drops what the cache holds too long or too much of. */
    async sweepCache(): Promise<void> {
      await cache.sweep();
    },

    /** Removes cache files that an interruption left. */
    sweepOrphans: () => cache.sweepOrphans(),

    /** Images that wait, and jobs that run, in this process. */
    stats: () => ({ waiting: admission.waiting, jobs: runner.size }),

    /** Admits nothing more, waits up to `waitMs` for running jobs and hands the rest over. */
    async drain(waitMs: number): Promise<void> {
      admission.close();
      await runner.drain(waitMs);
      closing.abort();
    },
  };
}

/** The exports module. */
export type Exports = ReturnType<typeof createExports>;
