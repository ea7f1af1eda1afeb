import pLimit from 'p-limit';
import type { JobEvent, JobResult } from '#contract';
import type { ImageRecord, ImageResultRecord, JobRecord, StoredEvent } from '../db/index.ts';
import { AppError, isDiskFull } from '../errors.ts';
import type { Logger } from '../observability/index.ts';
import { createEventLog, type EventLog, type NumberedEvent } from './event-log.ts';
import type { JobKind, JobTask } from './job-kind.ts';

/** Input of {@link runJob}. */
export interface RunJobInput {
  job: JobRecord;
  kind: JobKind<JobResult>;
  tasks: JobTask<JobResult>[];
  /** Results that were stored before an interruption. */
  earlier: ImageResultRecord[];
  /** False while nobody listens to a job that stops without a listener. */
  isHeard: () => boolean;
  /** Number of the first event. */
  firstEvent: number;
  /** Stores the result of an image with the events it caused. */
  saveResult: (record: ImageResultRecord) => Promise<void>;
  logger: Logger;
}

/** State of one call of {@link runJob}. */
interface JobRun extends RunJobInput {
  signal: AbortSignal;
  log: EventLog;
  /** Images that are finished. */
  current: number;
  /** Highest `current` of the events before an interruption: they may count images that were finished, but not stored. */
  emittedBefore: number;
  /** Number of the next event. */
  nextNumber: number;
  /** Numbered events that are not emitted yet. */
  pending: PendingEvent[];
  queue: QueuedTask[];
  /** A result could not be stored: the rest is left to the recovery of the job. */
  broken: boolean;
}

interface PendingEvent {
  event: NumberedEvent;
  held: boolean;
}

interface QueuedTask {
  task: JobTask<JobResult>;
  /** Events of the image, stored with its result. */
  events: StoredEvent[];
}

type Progress = Extract<JobEvent, { event: 'progress' }>['data'];

/**
 * Processes the remaining images of a job and yields its numbered progress events. The failure of an image does not
 * affect the others. Ends early, without an event, when the signal aborts; stored results remain.
 */
export async function* runJob(input: RunJobInput, signal: AbortSignal): AsyncGenerator<NumberedEvent> {
  const run = openRun(input, signal);
  for (const { task, events } of run.queue) emit(run, task.image, events, { status: 'queued', step: 'queued' });
  const limit = pLimit(input.kind.concurrency);
  // Waits for all images even after a failure (the store is full): no work continues after the end of its job.
  const work = Promise.allSettled(run.queue.map(() => limit(() => runNext(run)))).finally(() => run.log.close());
  // Reads to the end of the work even when the signal aborts: what was stored is also emitted.
  yield* run.log.read(-1, new AbortController().signal);
  for (const outcome of await work) if (outcome.status === 'rejected') throw outcome.reason;
}

function openRun(input: RunJobInput, signal: AbortSignal): JobRun {
  const done = new Set(input.earlier.map((record) => record.index));
  const emittedBefore = input.earlier
    .flatMap(({ events }) => events)
    .reduce((highest, { data }) => Math.max(highest, (data as Progress).current), 0);
  return {
    ...input,
    signal,
    log: createEventLog(),
    current: done.size,
    emittedBefore,
    nextNumber: input.firstEvent,
    pending: [],
    queue: input.tasks.filter(({ index }) => !done.has(index)).map((task) => ({ task, events: [] })),
    broken: false,
  };
}

/** Numbers and queues an event. A held event, and all after it, are emitted once `held` is false again. */
function emit(
  run: JobRun,
  image: ImageRecord,
  events: StoredEvent[],
  fields: Pick<Progress, 'status' | 'step'>,
  held = false,
): PendingEvent {
  const current = Math.max(run.current, run.emittedBefore);
  const data = { imageId: image._id, clientRef: image.clientRef, current, total: run.job.images.length, ...fields };
  const event: JobEvent & { n: number } = { n: run.nextNumber, event: 'progress', data };
  run.nextNumber += 1;
  events.push(event);
  const entry = { event, held };
  run.pending.push(entry);
  flush(run);
  return entry;
}

function flush({ pending, log }: JobRun): void {
  for (let next = pending[0]; next && !next.held; next = pending[0]) {
    pending.shift();
    log.push(next.event);
  }
}

/** Processes the next image of the queue and stores its result. */
async function runNext(run: JobRun): Promise<void> {
  const { job, kind, signal } = run;
  const next = takeNext(run.queue, kind.concurrency);
  if (!next || signal.aborted || run.broken) return;
  const { task, events } = next;
  const result = await attempt(run, next);
  if (!result) return;
  run.current += 1;
  const { status, error } = result;
  const details = { ...(error ? { error } : {}), ...kind.finalProgress(result) };
  // Emitted after it is stored: after a crash in between, `current` would decrease for a client that had received it.
  const finished = emit(run, task.image, events, { status, step: 'done', ...details }, true);
  const { _id: jobId, sessionId } = job;
  const { index } = task;
  try {
    await run.saveResult({ _id: `${jobId}:${index}`, jobId, sessionId, index, result, events });
  } catch (error) {
    run.broken = true;
    throw error;
  }
  finished.held = false;
  flush(run);
}

/** Returns the image's result, also of a failure; null when the signal aborted. */
async function attempt(run: JobRun, { task, events }: QueuedTask): Promise<JobResult | null> {
  const { job, kind, signal, logger, isHeard } = run;
  let reached = -1;
  const onStep = (step: string) => {
    const place = kind.steps.indexOf(step);
    // Work may repeat steps; the events of an image only move forward.
    if (place <= reached || signal.aborted) return;
    reached = place;
    emit(run, task.image, events, { status: 'processing', step });
  };
  try {
    return await task.run({ onStep, signal, isHeard });
  } catch (thrown) {
    if (signal.aborted) return null;
    return kind.failed(job, task.image, describeFailure(thrown, logger, job._id));
  }
}

/** Number of last rounds that are ordered by weight. */
const LAST_ROUNDS = 3;

/** Takes tasks in order, of the last ones the heaviest first: a large image at the end would leave the other workers idle. */
function takeNext<T extends { task: { weight?: number } }>(queue: T[], concurrency: number): T | undefined {
  if (queue.length === 0 || queue.length > concurrency * LAST_ROUNDS) return queue.shift();
  const weights = queue.map(({ task }) => task.weight ?? 0);
  return queue.splice(weights.indexOf(Math.max(...weights)), 1)[0];
}

function describeFailure(thrown: unknown, logger: Logger, jobId: string): { code: string; message: string } {
  if (thrown instanceof AppError) return { code: thrown.code, message: thrown.message };
  if (isDiskFull(thrown)) {
    return { code: 'insufficient_storage', message: 'The server has no disk space left for this image' };
  }
  logger.error({ err: thrown, jobId }, 'an image failed unexpectedly');
  return { code: 'processing_failed', message: 'The image could not be processed' };
}
