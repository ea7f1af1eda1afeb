import { randomUUID } from 'node:crypto';
import type { Job, JobKindName } from '#contract';
import { outlastOutage, waitAtMost } from '../concurrency.ts';
import type { JobImage, JobRecord, NewJobRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { cancelJob, reopenJob, stopJobsOfSession } from './control-jobs.ts';
import type { NumberedEvent } from './event-log.ts';
import { followJob } from './follow-job.ts';
import { createJobFeeds } from './job-feeds.ts';
import { createJobHistory } from './job-history.ts';
import type { Admission, Admitted, JobsContext, JobsDeps } from './jobs-context.ts';
import { findJob, isStarted, listJobs, outcomeOf, readJob } from './read-jobs.ts';
import { createRecovery, drainJobs, forgetEnded, pollJobs, removeJob, startJob } from './run-jobs.ts';

/** Creates the jobs module. A job of another account gets the same response as one that does not exist. */
export function createJobs(deps: JobsDeps) {
  const context = createContext(deps);
  const { admission, live, repositories, feeds, config } = context;
  const recovery = createRecovery(context);
  const stopPolling = pollJobs(context);

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
      stopPolling();
      feeds.close();
    },
  };
}

/** The jobs module. */
export type Jobs = ReturnType<typeof createJobs>;

function createContext({ now = () => new Date(), ...deps }: JobsDeps): JobsContext {
  const { repositories, kinds, config } = deps;
  const leaseMs = config.LEASE_SECONDS * 1000;
  const leaving = new AbortController();
  return {
    isAlone: false,
    freeWorkers: () => 0,
    onUnwritable: () => {},
    now,
    monotonicNow: () => performance.now(),
    ...deps,
    instanceId: randomUUID(),
    leaseMs,
    leaseEnd: () => new Date(now().getTime() + leaseMs),
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

/** Longest wait of a refused caller for the removal of the job, in milliseconds. */
const DISCARD_WAIT_MS = 300;

/** A validated order for a job. */
export interface NewJob {
  /** Id that was assigned to this job before, so that a repeated request finds it. */
  jobId: string;
  accountId: string;
  sessionId: string;
  kind: JobKindName;
  images: JobImage[];
  settings: unknown;
  /** Number of images that are charged. @default all */
  payable?: number;
}

/**
 * Reserves capacity for a job and stores it, before anything is charged.
 * @returns null when a job of this id exists
 * @throws overloaded, shutting_down, session_not_found
 */
async function createJob(context: JobsContext, order: NewJob): Promise<JobRecord | null> {
  const { admission, kinds, repositories, requireSession } = context;
  const owner = { accountId: order.accountId, isPaid: kinds[order.kind].isPaid };
  if (!admission.admit(order.jobId, order.images.length, owner)) return null;
  let job: JobRecord | null = null;
  try {
    job = await repositories.jobs.insert(recordOf(context, order));
    if (job) await repositories.jobImages.insert(ownerOf(job), order.images);
    // A session that was deleted since the request was validated has removed its jobs before this one was stored.
    if (job) await requireSession(job.accountId, job.sessionId);
  } catch (error) {
    if (job) await discardJob(context, job);
    else releaseCapacity(context, order.jobId);
    throw error;
  }
  if (!job) releaseCapacity(context, order.jobId);
  return job;
}

/** Removes a job that was not charged as far as is known. During a database outage the caller does not wait for it. */
async function discardJob(context: JobsContext, job: JobRecord): Promise<void> {
  const { admission, discarded, repositories, outlast } = context;
  admission.forget(job._id);
  discarded.add(job._id);
  const removed = outlast(() => removeJob(repositories, job._id));
  void undoCharge(context, job, removed).finally(() => discarded.delete(job._id));
  await waitAtMost(DISCARD_WAIT_MS, removed);
}

function ownerOf({ _id: jobId, accountId, sessionId, kind }: JobRecord) {
  return { jobId, accountId, sessionId, kind };
}

function recordOf(context: JobsContext, { jobId, images, ...order }: NewJob): NewJobRecord {
  return {
    _id: jobId,
    ...order,
    total: images.length,
    state: 'created',
    createdAt: context.now(),
    leaseOwner: context.instanceId,
    leaseUntil: context.leaseEnd(),
  };
}

/** Refunds a refused job: it may have been charged when the reply to the charge was lost. */
async function undoCharge(
  { settle, outlast, logger }: JobsContext,
  job: JobRecord,
  removed: Promise<void>,
): Promise<void> {
  try {
    await removed;
    await outlast(() => settle(job, 0));
  } catch (error) {
    logger.warn({ err: error, jobId: job._id }, 'a refused job is left to the recovery');
  }
}

/** Releases the capacity of a job that was not stored, unless the recovery has started one of this id meanwhile. */
function releaseCapacity({ live, admission }: JobsContext, jobId: string): void {
  if (!live.has(jobId)) admission.forget(jobId);
}

/** Rough pace for `Retry-After`: images per second that a small server finishes. */
const IMAGES_PER_SECOND = 2;
const LONGEST_RETRY_SECONDS = 120;

/** Parts of the whole limit that may wait: of one account, of all that is free, and of one account's free work. */
const SHARES = { account: 0.5, free: 0.5, accountFree: 0.05 };

interface JobRoom extends Admitted {
  /** Images that are not finished. */
  left: number;
}

interface State {
  readonly limit: number;
  readonly rooms: Map<string, JobRoom>;
  closed: boolean;
}

/**
 * Creates the limit of images that wait in this process, so that overload is refused at once: half of it is kept for paid work,
 * and no account may fill it alone.
 */
export function createAdmission({ maxQueuedImages }: { maxQueuedImages: number }): Admission {
  const state: State = { limit: maxQueuedImages, rooms: new Map(), closed: false };
  const { rooms } = state;

  return {
    admit(jobId, images, owner) {
      if (state.closed) {
        throw new AppError('shutting_down', 'The service is stopping', { headers: { 'Retry-After': '10' } });
      }
      if (rooms.has(jobId)) return false;
      refuseOverload(state, images, owner);
      this.readmit(jobId, images, owner);
      return true;
    },

    readmit(jobId, images, { accountId, isPaid }) {
      rooms.set(jobId, { accountId, isPaid, left: images });
    },

    imageDone(jobId) {
      const room = rooms.get(jobId);
      if (room && room.left > 0) room.left -= 1;
    },

    forget(jobId) {
      rooms.delete(jobId);
    },

    close() {
      state.closed = true;
    },

    get isClosed() {
      return state.closed;
    },

    get waiting() {
      return count(state, () => true);
    },
  };
}

function refuseOverload(state: State, images: number, { accountId, isPaid }: Admitted): void {
  const isOwn = (room: JobRoom) => room.accountId === accountId;
  const refuseAbove = (part: number, code: 'overloaded' | 'rate_limited', counts: (room: JobRoom) => boolean) => {
    const limit = Math.ceil(state.limit * part);
    const waiting = count(state, counts);
    if (waiting === 0 || waiting + images <= limit) return;
    const seconds = Math.min(LONGEST_RETRY_SECONDS, Math.ceil(waiting / IMAGES_PER_SECOND));
    const whose = code === 'rate_limited' ? ' of your account' : '';
    throw new AppError(code, `${waiting} images${whose} are waiting already; no room for ${images} more`, {
      details: { queued: waiting, limit },
      headers: { 'Retry-After': String(seconds) },
    });
  };
  refuseAbove(SHARES.account, 'rate_limited', isOwn);
  if (!isPaid) refuseAbove(SHARES.accountFree, 'rate_limited', (room) => isOwn(room) && !room.isPaid);
  if (!isPaid) refuseAbove(SHARES.free, 'overloaded', (room) => !room.isPaid);
  refuseAbove(1, 'overloaded', () => true);
}

function count({ rooms }: State, counts: (room: JobRoom) => boolean): number {
  let waiting = 0;
  for (const room of rooms.values()) if (counts(room)) waiting += room.left;
  return waiting;
}
