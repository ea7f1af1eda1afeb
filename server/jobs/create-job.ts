import { setTimeout as sleep } from 'node:timers/promises';
import type { JobKindName } from '#contract';
import type { JobImage, JobRecord } from '../db/index.ts';
import { type JobsContext, leaseEnd } from './jobs-context.ts';

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
}

/**
 * Reserves capacity for a job and stores it, before anything is charged.
 * @returns null when a job of this id exists
 * @throws overloaded, shutting_down, session_not_found
 */
export async function createJob(context: JobsContext, order: NewJob): Promise<JobRecord | null> {
  const { admission, kinds, repositories, requireSession } = context;
  const owner = { accountId: order.accountId, isPaid: kinds[order.kind].isPaid };
  if (!admission.admit(order.jobId, order.images.length, owner)) return null;
  const job = recordOf(context, order);
  let inserted = false;
  try {
    inserted = await repositories.jobs.insert(job);
    if (inserted) await repositories.jobImages.insert(ownerOf(job), order.images);
    // A session that was deleted since the request was validated has removed its jobs before this one was stored.
    if (inserted) await requireSession(job.accountId, job.sessionId);
  } catch (error) {
    if (inserted) await discardJob(context, job);
    else releaseCapacity(context, job._id);
    throw error;
  }
  if (inserted) return job;
  releaseCapacity(context, job._id);
  return null;
}

/** Removes a job that was not charged as far as is known. During a database outage the caller does not wait for it. */
export async function discardJob(context: JobsContext, job: JobRecord): Promise<void> {
  const { admission, discarded, repositories, outlast } = context;
  admission.forget(job._id);
  discarded.add(job._id);
  const removed = outlast(() => removeJob(repositories, job._id));
  void undoCharge(context, job, removed).finally(() => discarded.delete(job._id));
  await Promise.race([removed, sleep(DISCARD_WAIT_MS, undefined, { ref: false })]);
}

/** Removes a job with its images. A job without a record has none, so that goes last. */
export async function removeJob({ jobs, jobImages }: JobsContext['repositories'], jobId: string): Promise<void> {
  await jobImages.removeOfJob(jobId);
  await jobs.remove(jobId);
}

function ownerOf({ _id: jobId, accountId, sessionId, kind }: JobRecord) {
  return { jobId, accountId, sessionId, kind };
}

function recordOf(context: JobsContext, { jobId, images, ...order }: NewJob): JobRecord {
  return {
    _id: jobId,
    ...order,
    total: images.length,
    state: 'created',
    createdAt: context.now(),
    finishedAt: null,
    leaseOwner: context.instanceId,
    leaseUntil: leaseEnd(context),
    attempts: 0,
    crashes: 0,
    stopRequested: null,
    offered: false,
    listened: 0,
    eventBase: -1,
    lastEvent: null,
    summary: null,
    credits: null,
    error: null,
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
