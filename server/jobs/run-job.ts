import type { JobEvent, JobResult } from '#contract';
import type { ImageRecord, ImageResultRecord } from '../db/index.ts';
import { AppError, isDiskFull } from '../errors.ts';
import type { Logger, Metrics } from '../observability/index.ts';
import type { NewEvent } from './event-log.ts';
import type { JobKind, JobTask, PlannedJob } from './job-kind.ts';
import type { ImageSource } from './take-blocks.ts';

/** Input of {@link runJob}. */
export interface RunJobInput {
  job: PlannedJob;
  kind: JobKind<JobResult>;
  /** The images to process. */
  source: ImageSource;
  /** False while a job that stops without a listener has none. */
  isHeard: () => boolean;
  /** Queues an event. */
  emit: (event: NewEvent) => void;
  /** Stores the result of an image. */
  saveResult: (record: ImageResultRecord) => Promise<void>;
  logger: Logger;
  metrics: Pick<Metrics, 'unexpectedError'>;
}

/** State of one call of {@link runJob}. */
interface JobRun extends RunJobInput {
  signal: AbortSignal;
  /** A result could not be stored, or this server stops: the rest is left to the recovery of the job. */
  broken: boolean;
}

/**
 * Processes images of a job and emits their progress. The failure of an image does not affect the others. Ends early, without
 * an event, when the signal aborts; stored results remain. Resolves when no work is in progress.
 */
export async function runJob(input: RunJobInput, signal: AbortSignal): Promise<void> {
  const run: JobRun = { ...input, signal, broken: false };
  // Waits for all images even after a failure (the store is full): no work continues after the end of its job.
  const work = await Promise.allSettled(Array.from({ length: input.kind.concurrency }, () => runImages(run)));
  for (const outcome of work) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Emits that images wait. */
export function emitQueued(run: Pick<RunJobInput, 'job' | 'emit'>, tasks: JobTask<JobResult>[]): void {
  for (const { image } of tasks) emit(run, image, { status: 'queued', step: 'queued' });
}

/** Emits the end of an image. */
export function emitEnd(run: Pick<RunJobInput, 'job' | 'kind' | 'emit'>, image: ImageRecord, result: JobResult): void {
  const { status, error } = result;
  const details = { ...(error ? { error } : {}), ...run.kind.finalProgress(result) };
  emit(run, image, { status, step: 'done', ...details }, true);
}

function emit(
  { job, emit }: Pick<RunJobInput, 'job' | 'emit'>,
  image: ImageRecord,
  fields: Fields,
  ends = false,
): void {
  emit({ data: { imageId: image._id, clientRef: image.clientRef, total: job.total, ...fields }, ends });
}

type Fields = Pick<Extract<JobEvent, { event: 'progress' }>['data'], 'status' | 'step'>;

/** Processes one image after the other. */
async function runImages(run: JobRun): Promise<void> {
  const { source, signal } = run;
  for (;;) {
    const task = signal.aborted || run.broken ? undefined : await source.next();
    if (!task || signal.aborted || run.broken) return;
    try {
      const result = await attempt(run, task);
      if (!result) return;
      await saveEnd(run, task, result);
    } catch (error) {
      run.broken = true;
      throw error;
    }
  }
}

/** Stores the result of an image, and then emits it: a client that has seen the event finds the result. */
async function saveEnd(run: JobRun, task: JobTask<JobResult>, result: JobResult): Promise<void> {
  const { _id: jobId, sessionId } = run.job;
  await run.saveResult({ _id: `${jobId}:${task.index}`, jobId, sessionId, index: task.index, result });
  emitEnd(run, task.image, result);
  await run.source.ended(task);
}

/** Returns the image's result, also of a failure; null when the signal aborted. @throws shutting_down */
async function attempt(run: JobRun, task: JobTask<JobResult>): Promise<JobResult | null> {
  const { job, kind, signal, isHeard } = run;
  let reached = -1;
  const onStep = (step: string) => {
    const place = kind.steps.indexOf(step);
    // Work may repeat steps; the events of an image only move forward.
    if (place <= reached || signal.aborted) return;
    reached = place;
    emit(run, task.image, { status: 'processing', step });
  };
  try {
    return await task.run({ onStep, signal, isHeard });
  } catch (thrown) {
    if (signal.aborted) return null;
    // The fault of this server, not of the image, which is left to the recovery of the job.
    if (thrown instanceof AppError && thrown.code === 'shutting_down') throw thrown;
    return kind.failed(job, task.image, describeFailure(thrown, run));
  }
}

function describeFailure(
  thrown: unknown,
  { job, logger, metrics }: Pick<JobRun, 'job' | 'logger' | 'metrics'>,
): { code: string; message: string } {
  if (thrown instanceof AppError) return { code: thrown.code, message: thrown.message };
  if (isDiskFull(thrown)) {
    return { code: 'insufficient_storage', message: 'The server has no disk space left for this image' };
  }
  logger.error({ err: thrown, jobId: job._id }, 'an image failed unexpectedly');
  metrics.unexpectedError('image');
  const message = 'The service failed while it processed the image; the fault is not in the file';
  return { code: 'internal_error', message };
}
