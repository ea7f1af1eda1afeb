import { isDeepStrictEqual } from 'node:util';
import type { JobCredits, JobEvent, JobResult, JobState } from '#contract';
import type { ImageRecord, ImageResultRecord, JobRecord, Repositories } from '../db/index.ts';
import type { JobKind, PlannedJob } from './job-kind.ts';
import { refreshed } from './refresh-results.ts';

/** Reason for which a job ended before all its images were processed. */
export type StopReason = 'job_cancelled' | 'client_left' | 'session_deleted' | 'job_abandoned';

/** Credits of an ended job. */
export interface Settlement {
  credits: JobCredits;
  /** Credits that one delivered image cost. */
  perImage: number;
}

const STOP_MESSAGES: Record<StopReason, { image: string; job: string }> = {
  job_cancelled: { image: 'The job was cancelled before this image was done', job: 'The job was cancelled' },
  client_left: { image: 'The client left before this image was done', job: 'The client left' },
  session_deleted: {
    image: 'The session was deleted before this image was done',
    job: 'The session was deleted while the job ran',
  },
  job_abandoned: {
    image: 'The job could not be resumed after an interruption',
    job: 'The job could not be resumed after an interruption',
  },
};

interface FinishInput {
  job: PlannedJob;
  kind: JobKind<JobResult>;
  images: Map<string, ImageRecord>;
  stopped: StopReason | null;
  settle: (job: JobRecord, delivered: number) => Promise<Settlement>;
  repositories: Pick<Repositories, 'imageResults'>;
  durationMs: number;
}

/** The last event of a job. */
export type LastEvent = Extract<JobEvent, { event: 'complete' | 'error' }>;

/** The end of a job: its last event, state and results. */
export interface Ending {
  event: LastEvent;
  state: JobState;
  results: JobResult[];
}

/**
 * Completes the results of a job, settles it and returns its last event. May be called again after a crash: results are
 * stored once per image, and settling the same job twice changes nothing.
 */
export async function endJob(input: FinishInput): Promise<Ending> {
  const { job, kind, stopped, settle, durationMs } = input;
  const records = await fillGaps(input);
  const completed = records.filter(({ result }) => result.status === 'completed').length;
  const [{ credits, perImage }, current] = await Promise.all([
    settle(job, countDelivered(kind, records)),
    keepCurrent(input, records),
  ]);
  const results = current.map(({ result }) => kind.show(result, perImage));
  const state = stateOf(results.length, completed, stopped);
  const ids = { jobId: job._id, sessionId: job.sessionId };
  if (state === 'completed' || state === 'partial') {
    const summary = kind.summarize(results, durationMs);
    const details = kind.completeDetails();
    return {
      event: { event: 'complete', data: { ...ids, status: state, results, summary, credits, ...details } },
      state,
      results,
    };
  }
  return {
    event: { event: 'error', data: { ...reasonOf(results, stopped), ...ids, results, credits } },
    state,
    results,
  };
}

/** Counts the images that have to be paid. */
export function countDelivered(kind: JobKind<JobResult>, records: Pick<ImageResultRecord, 'result'>[]): number {
  return records.filter(({ result }) => result.status === 'completed' && !kind.isWithoutGain?.(result)).length;
}

/** Stores a failed result for each image that was not processed; returns all results. */
async function fillGaps({ job, kind, images, stopped, repositories }: FinishInput): Promise<ImageResultRecord[]> {
  const stored = await repositories.imageResults.findOfJob(job._id);
  const byIndex = new Map(stored.map((record) => [record.index, record]));
  const code = stopped ?? 'job_abandoned';
  const { _id: jobId, sessionId } = job;
  const all: ImageResultRecord[] = [];
  const missing: ImageResultRecord[] = [];
  for (const [index, { imageId }] of job.images.entries()) {
    const image = images.get(imageId);
    let record = byIndex.get(index);
    if (!record && image) {
      const result = kind.failed(job, image, { code, message: STOP_MESSAGES[code].image });
      record = { _id: `${jobId}:${index}`, jobId, sessionId, index, result };
      missing.push(record);
    }
    if (record) all.push(record);
  }
  const allInserted = await repositories.imageResults.insertMissing(missing);
  // If not, another server has stored a result meanwhile.
  return allInserted ? all : repositories.imageResults.findOfJob(jobId);
}

/** Stores what has changed in the results since, so that readers on other servers end with the same, and returns them. */
async function keepCurrent(
  { job, kind, repositories }: FinishInput,
  records: ImageResultRecord[],
): Promise<ImageResultRecord[]> {
  const current = await refreshed(job, kind, records);
  for (const [index, record] of current.entries())
    if (!isDeepStrictEqual(record.result, records[index]?.result)) await repositories.imageResults.update(record);
  return current;
}

function stateOf(total: number, completed: number, stopped: StopReason | null): JobState {
  if (stopped && stopped !== 'job_abandoned') return 'cancelled';
  if (completed === 0) return 'failed';
  return completed === total ? 'completed' : 'partial';
}

function reasonOf(results: JobResult[], stopped: StopReason | null): { error: string; code: string } {
  if (stopped) return { code: stopped, error: STOP_MESSAGES[stopped].job };
  const [first] = results;
  const reason = first?.error?.message ?? 'unknown reason';
  const what =
    results.length === 1
      ? 'The image could not be processed'
      : `None of the ${results.length} images could be processed`;
  return { code: first?.error?.code ?? 'processing_failed', error: `${what}: ${reason}` };
}
