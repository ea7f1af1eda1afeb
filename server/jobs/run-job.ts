import type { JobEvent, JobResult } from '#contract';
import type { ImageRecord, ImageResultRecord, JobRecord, StoredEvent } from '../db/index.ts';
import { AppError, isDiskFull } from '../errors.ts';
import type { Logger } from '../observability/index.ts';
import { createEventLog, type NumberedEvent } from './event-log.ts';
import type { JobKind, JobTask } from './job-kind.ts';

/** What {@link runJob} works with. */
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
 * Does what is left of a job and yields its progress events, numbered. One image that fails never fails the others.
 * Ends early, without an event, when the signal aborts; what is done stays stored.
 */
export async function* runJob(input: RunJobInput, signal: AbortSignal): AsyncGenerator<NumberedEvent> {
  const { job, kind, tasks, earlier } = input;
  const log = createEventLog();
  const total = job.images.length;
  const done = new Set(earlier.map((record) => record.index));
  let current = done.size;
  // What was told before an interruption may count images that were finished, but not stored.
  const told = earlier
    .flatMap(({ events }) => events)
    .reduce((highest, { data }) => Math.max(highest, (data as Progress).current), 0);
  let n = input.firstEvent;
  const untold: { event: NumberedEvent; held: boolean }[] = [];

  const tell = () => {
    for (let next = untold[0]; next && !next.held; next = untold[0]) {
      untold.shift();
      log.push(next.event);
    }
  };
  /** Numbers an event and tells it, in order; a held one, and all behind it, once its `held` is taken away. */

  const emit = (image: ImageRecord, events: StoredEvent[], fields: Pick<Progress, 'status' | 'step'>, held = false) => {
    const shown = Math.max(current, told);
    const data = { imageId: image._id, clientRef: image.clientRef, current: shown, total, ...fields };
    const event: JobEvent & { n: number } = { n, event: 'progress', data };
    n += 1;
    events.push(event);
    const entry = { event, held };
    untold.push(entry);
    tell();
    return entry;
  };

  const queue = tasks
    .filter(({ index }) => !done.has(index))
    .map((task) => ({ task, index: task.index, events: [] as StoredEvent[] }));
  for (const { task, events } of queue) emit(task.image, events, { status: 'queued', step: 'queued' });

  /** A result could not be stored: whoever takes the job up does the rest. */
  let broken = false;

  async function work(): Promise<void> {
    for (
      let next = takeNext(queue, kind.concurrency);
      next && !signal.aborted && !broken;
      next = takeNext(queue, kind.concurrency)
    ) {
      const { task, index, events } = next;
      const result = await attempt(task, events);
      if (!result) return;
      current += 1;
      const { status, error } = result;
      const details = { ...(error ? { error } : {}), ...kind.finalProgress(result) };
      // Told once it is stored: after a crash in between, `current` would fall for whoever had heard of it.
      const finished = emit(task.image, events, { status, step: 'done', ...details }, true);
      const { _id: jobId, sessionId } = job;
      try {
        await input.saveResult({ _id: `${jobId}:${index}`, jobId, sessionId, index, result, events });
      } catch (error) {
        broken = true;
        throw error;
      }
      finished.held = false;
      tell();
    }
  }

  /** The image's result, failed ones included; null when the signal aborted. */
  async function attempt(task: JobTask<JobResult>, events: StoredEvent[]): Promise<JobResult | null> {
    let reached = -1;
    const onStep = (step: string) => {
      const place = kind.steps.indexOf(step);
      // Work may go through the same steps again; to the reader an image only ever moves forward.
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

  // Also when one of them fails (the store is full), to the end of them all: nothing of a job goes on that was said to have ended.
  const workers = Promise.allSettled(Array.from({ length: kind.concurrency }, work)).finally(() => log.close());
  // To the end of the work also when the signal aborts: what was stored is also told.
  yield* log.read(-1, new AbortController().signal);
  for (const outcome of await workers) if (outcome.status === 'rejected') throw outcome.reason;
}

/** How many of the last rounds go by weight. */
const LAST_ROUNDS = 3;

/** In order; of the last ones the heaviest first, or one process would still be at a large image when the others have nothing left. */
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
