import type { ErrorEvent, ExportEvent, ImageResult, JobCredits, JobState } from '#contract';
import type { ImageRecord, ImageResultRecord, JobRecord, Repositories } from '../db/index.ts';
import { failedResult, summarize } from './results.ts';

/** Why a job ended before all its images were done. */
export type StopReason = 'job_cancelled' | 'session_deleted' | 'job_abandoned';

/** What the work was worth; made by whoever charged for it. */
export interface Settlement {
  credits: JobCredits;
  /** Credits that one exported image cost. */
  perImage: number;
}

const STOP_MESSAGES: Record<StopReason, string> = {
  job_cancelled: 'The job was cancelled before this image was exported',
  session_deleted: 'The session was deleted before this image was exported',
  job_abandoned: 'The job could not be resumed after an interruption',
};

interface FinishInput {
  job: JobRecord;
  images: Map<string, ImageRecord>;
  stopped: StopReason | null;
  settle: (job: JobRecord, completed: number) => Promise<Settlement>;
  repositories: Pick<Repositories, 'imageResults'>;
  now: Date;
}

/** What the end of a job looks like, as the last event and as the record. */
export interface Ending {
  event: Extract<ExportEvent, { event: 'complete' | 'error' }>;
  state: JobState;
  results: ImageResult[];
}

/**
 * Completes the results of a job, settles it and tells its last event. May be called again after a crash: results are
 * stored once per image, and settling the same job twice changes nothing.
 */
export async function endJob({ job, images, stopped, settle, repositories, now }: FinishInput): Promise<Ending> {
  const stored = await repositories.imageResults.findOfJob(job._id);
  const records = await fillGaps(job, stored, images, stopped ?? 'job_abandoned', repositories);
  const completed = records.filter(({ result }) => result.status === 'completed').length;
  const settlement = await settle(job, completed);
  const results = records.map(({ result }) => priced(result, settlement.perImage));
  const state = stateOf(results.length, completed, stopped);
  return { event: lastEvent({ job, results, settlement, state, stopped, now }), state, results };
}

/** The results as callers see them, with what each image cost. */
export function priced(result: ImageResult, perImage: number): ImageResult {
  return { ...result, creditsCharged: result.status === 'completed' ? perImage : 0 };
}

async function fillGaps(
  job: JobRecord,
  stored: ImageResultRecord[],
  images: Map<string, ImageRecord>,
  code: StopReason,
  { imageResults }: FinishInput['repositories'],
): Promise<ImageResultRecord[]> {
  const byIndex = new Map(stored.map((record) => [record.index, record]));
  const all: ImageResultRecord[] = [];
  for (const [index, { imageId }] of job.images.entries()) {
    const image = images.get(imageId);
    let record = byIndex.get(index);
    if (!record && image) {
      const result = failedResult(image, job.settings, { code, message: STOP_MESSAGES[code] });
      record = { _id: `${job._id}:${index}`, jobId: job._id, sessionId: job.sessionId, index, result, events: [] };
      await imageResults.insert(record);
    }
    if (record) all.push(record);
  }
  return all;
}

function stateOf(total: number, completed: number, stopped: StopReason | null): JobState {
  if (stopped === 'job_cancelled' || stopped === 'session_deleted') return 'cancelled';
  if (completed === 0) return 'failed';
  return completed === total ? 'completed' : 'partial';
}

function lastEvent(input: {
  job: JobRecord;
  results: ImageResult[];
  settlement: Settlement;
  state: JobState;
  stopped: StopReason | null;
  now: Date;
}): Ending['event'] {
  const { job, results, settlement, state, stopped, now } = input;
  const ids = { jobId: job._id, sessionId: job.sessionId };
  const { credits } = settlement;
  if (state === 'completed' || state === 'partial') {
    return {
      event: 'complete',
      data: { ...ids, status: state, results, summary: summarize(job, results, now), credits },
    };
  }
  return { event: 'error', data: { ...reasonOf(results, stopped), ...ids, results, credits } };
}

function reasonOf(results: ImageResult[], stopped: StopReason | null): Pick<ErrorEvent, 'error' | 'code'> {
  if (stopped === 'job_cancelled') return { code: stopped, error: 'The job was cancelled' };
  if (stopped === 'session_deleted') return { code: stopped, error: 'The session was deleted while the job ran' };
  if (stopped === 'job_abandoned') return { code: stopped, error: STOP_MESSAGES.job_abandoned };
  const [first] = results;
  const images = results.length === 1 ? 'The image' : `None of the ${results.length} images`;
  const verb = results.length === 1 ? 'could not be exported' : 'could be exported';
  return {
    code: first?.error?.code ?? 'processing_failed',
    error: `${images} ${verb}: ${first?.error?.message ?? 'unknown reason'}`,
  };
}
