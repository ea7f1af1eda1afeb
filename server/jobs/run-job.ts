import pLimit from 'p-limit';
import type { JobEvent, JobResult } from '#contract';
import type { ImageRecord, ImageResultRecord, JobRecord, StoredEvent } from '../db/index.ts';
import { AppError, isDiskFull } from '../errors.ts';
import type { Logger } from '../observability/index.ts';
import { createEventLog, type NumberedEvent } from './event-log.ts';
import type { JobKind, JobTask } from './job-kind.ts';

/** Input of {@link runJob}. */
export interface RunJobInput {
  job: JobRecord;
  kind: JobKind<JobResult>;
  tasks: JobTask<JobResult>[];
  /** Results that were stored before an interruption. */
  earlier: ImageResultRecord[];
  /** Number of the first event. */
  firstEvent: number;
  /** Stores the result of an image with the events it caused. */
  saveResult: (record: ImageResultRecord) => Promise<void>;
  logger: Logger;
}

/**
 * Processes the remaining images of a job and yields its numbered progress events. The failure of an image does not
 * affect the others. Ends early, without an event, when the signal aborts; stored results remain.
 */
export async function* runJob(input: RunJobInput, signal: AbortSignal): AsyncGenerator<NumberedEvent> {
  const { job, kind, tasks, earlier } = input;
  const log = createEventLog();
  const total = job.images.length;
  const done = new Set(earlier.map((record) => record.index));
  let current = done.size;
  // Events before an interruption may count images that were finished, but not stored.
  const emittedBefore = earlier
    .flatMap(({ events }) => events)
    .reduce((highest, { data }) => Math.max(highest, (data as Progress).current), 0);
  let n = input.firstEvent;
  const pending: { event: NumberedEvent; held: boolean }[] = [];

  const flush = () => {
    for (let next = pending[0]; next && !next.held; next = pending[0]) {
      pending.shift();
      log.push(next.event);
    }
  };
  /** Numbers and queues an event. A held event, and all after it, are emitted once `held` is false again. */
  const emit = (image: ImageRecord, events: StoredEvent[], fields: Pick<Progress, 'status' | 'step'>, held = false) => {
    const shown = Math.max(current, emittedBefore);
    const data = { imageId: image._id, clientRef: image.clientRef, current: shown, total, ...fields };
    const event: JobEvent & { n: number } = { n, event: 'progress', data };
    n += 1;
    events.push(event);
    const entry = { event, held };
    pending.push(entry);
    flush();
    return entry;
  };

  const queue = tasks
    .filter(({ index }) => !done.has(index))
    .map((task) => ({ task, index: task.index, events: [] as StoredEvent[] }));
  for (const { task, events } of queue) emit(task.image, events, { status: 'queued', step: 'queued' });

  /** A result could not be stored: the rest is left to the recovery of the job. */
  let broken = false;

  async function runNext(): Promise<void> {
    const next = takeNext(queue, kind.concurrency);
    if (!next || signal.aborted || broken) return;
    const { task, index, events } = next;
    const result = await attempt(task, events);
    if (!result) return;
    current += 1;
    const { status, error } = result;
    const details = { ...(error ? { error } : {}), ...kind.finalProgress(result) };
    // Emitted after it is stored: after a crash in between, `current` would decrease for a client that had received it.
    const finished = emit(task.image, events, { status, step: 'done', ...details }, true);
    const { _id: jobId, sessionId } = job;
    try {
      await input.saveResult({ _id: `${jobId}:${index}`, jobId, sessionId, index, result, events });
    } catch (error) {
      broken = true;
      throw error;
    }
    finished.held = false;
    flush();
  }

  /** Returns the image's result, also of a failure; null when the signal aborted. */
  async function attempt(task: JobTask<JobResult>, events: StoredEvent[]): Promise<JobResult | null> {
    let reached = -1;
    const onStep = (step: string) => {
      const place = kind.steps.indexOf(step);
      // Work may repeat steps; the events of an image only move forward.
      if (place <= reached || signal.aborted) return;
      reached = place;
      emit(task.image, events, { status: 'processing', step });
    };
    try {
      return await task.run({ onStep, signal });
    } catch (thrown) {
      if (signal.aborted) return null;
      return kind.failed(job, task.image, describeFailure(thrown, input.logger, job._id));
    }
  }

  const limit = pLimit(kind.concurrency);
  // Waits for all images even after a failure (the store is full): no work continues after the end of its job.
  const work = Promise.allSettled(queue.map(() => limit(runNext))).finally(() => log.close());
  // Reads to the end of the work even when the signal aborts: what was stored is also emitted.
  yield* log.read(-1, new AbortController().signal);
  for (const outcome of await work) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Number of last rounds that are ordered by weight. */
const LAST_ROUNDS = 3;

/** Takes tasks in order, of the last ones the heaviest first: a large image at the end would leave the other workers idle. */
function takeNext<T extends { task: { weight?: number } }>(queue: T[], concurrency: number): T | undefined {
  if (queue.length === 0 || queue.length > concurrency * LAST_ROUNDS) return queue.shift();
  const weights = queue.map(({ task }) => task.weight ?? 0);
  return queue.splice(weights.indexOf(Math.max(...weights)), 1)[0];
}

type Progress = Extract<JobEvent, { event: 'progress' }>['data'];

function describeFailure(thrown: unknown, logger: Logger, jobId: string): { code: string; message: string } {
  if (thrown instanceof AppError) return { code: thrown.code, message: thrown.message };
  if (isDiskFull(thrown)) {
    return { code: 'insufficient_storage', message: 'The server has no disk space left for this image' };
  }
  logger.error({ err: thrown, jobId }, 'an image failed unexpectedly');
  return { code: 'processing_failed', message: 'The image could not be processed' };
}
