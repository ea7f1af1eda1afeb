import type { ExportEvent, ImageResult, ProgressEvent } from '#contract';
import type { ImageRecord, ImageResultRecord, JobRecord, StoredEvent } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../observability/index.ts';
import type { NumberedEvent } from './event-log.ts';
import { createEventLog } from './event-log.ts';
import type { ImageTask } from './export-image.ts';
import { failedResult } from './results.ts';

/** What {@link runExport} works with. */
export interface RunExportInput {
  job: JobRecord;
  tasks: ImageTask[];
  /** Results that were stored before an interruption. */
  earlier: ImageResultRecord[];
  /** Number of the first event. */
  firstEvent: number;
  /** Images in work at once. */
  concurrency: number;
  exportImage: (
    task: ImageTask,
    options: { onStep: (step: string) => void; signal: AbortSignal },
  ) => Promise<ImageResult>;
  /** Stores the result of an image with the events it caused. */
  saveResult: (record: ImageResultRecord) => Promise<void>;
  logger: Logger;
}

/**
 * Exports what is left of a job and yields its progress events, numbered. One image that fails never fails the others.
 * Ends early, without an event, when the signal aborts; what is done stays stored.
 */
export async function* runExport(input: RunExportInput, signal: AbortSignal): AsyncGenerator<NumberedEvent> {
  const { job, tasks, earlier, concurrency } = input;
  const log = createEventLog();
  const total = job.images.length;
  const done = new Set(earlier.map((record) => record.index));
  let current = done.size;
  // What was told before an interruption may count images that were finished, but not stored.
  const told = Math.max(
    0,
    ...earlier.flatMap(({ events }) => events.map(({ data }) => (data as ProgressEvent).current)),
  );
  let n = input.firstEvent;
  const untold: { event: NumberedEvent; held: boolean }[] = [];

  const tell = () => {
    for (let next = untold[0]; next && !next.held; next = untold[0]) {
      untold.shift();
      log.push(next.event);
    }
  };
  /** Numbers an event and tells it, in order; a held one, and all behind it, once its `held` is taken away. */
  const emit = (
    image: ImageRecord,
    events: StoredEvent[],
    fields: Pick<ProgressEvent, 'status' | 'step' | 'error'>,
    held = false,
  ) => {
    const data: ProgressEvent = {
      imageId: image._id,
      clientRef: image.clientRef,
      current: Math.max(current, told),
      total,
      ...fields,
    };
    const event: ExportEvent & { n: number } = { n, event: 'progress', data };
    n += 1;
    events.push(event);
    const entry = { event, held };
    untold.push(entry);
    tell();
    return entry;
  };

  const queue = tasks
    .map((task) => ({ task, index: job.images.indexOf(task.asked), events: [] as StoredEvent[] }))
    .filter(({ index }) => !done.has(index));
  for (const { task, events } of queue) emit(task.image, events, { status: 'queued', step: 'queued' });

  async function work(): Promise<void> {
    for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) {
      const { task, index, events } = next;
      const result = await attempt(task, events);
      if (!result) return;
      current += 1;
      const error = result.error ? { error: result.error } : {};
      // Told once it is stored: after a crash in between, `current` would fall for whoever had heard of it.
      const finished = emit(task.image, events, { status: result.status, step: 'done', ...error }, true);
      await input.saveResult({
        _id: `${job._id}:${index}`,
        jobId: job._id,
        sessionId: job.sessionId,
        index,
        result,
        events,
      });
      finished.held = false;
      tell();
    }
  }

  /** The image's result, failed ones included; null when the signal aborted. */
  async function attempt(task: ImageTask, events: StoredEvent[]): Promise<ImageResult | null> {
    let reached = -1;
    const onStep = (step: string) => {
      const place = STEPS.indexOf(step);
      // Variants go through the same steps again; to the reader an image only ever moves forward.
      if (place <= reached || (step === 'resize' && reached < STEPS.indexOf('optimize')) || signal.aborted) return;
      reached = place;
      emit(task.image, events, { status: 'processing', step });
    };
    try {
      return await input.exportImage(task, { onStep, signal });
    } catch (thrown) {
      if (signal.aborted) return null;
      return failedResult(task.image, job.settings, describeFailure(thrown, input.logger, job._id));
    }
  }

  const workers = Promise.all(Array.from({ length: concurrency }, work)).finally(() => log.close());
  // The failure of a worker (the store is gone) is thrown below, after the events that came before it.
  workers.catch(() => {});
  // To the end of the work also when the signal aborts: what was stored is also told.
  yield* log.read(-1, new AbortController().signal);
  await workers;
}

/** Steps of an image in work, in the order in which they are told. */
const STEPS = ['load', 'optimize', 'resize', 'save'];

function describeFailure(thrown: unknown, logger: Logger, jobId: string): { code: string; message: string } {
  if (thrown instanceof AppError) return { code: thrown.code, message: thrown.message };
  if ((thrown as NodeJS.ErrnoException).code === 'ENOSPC') {
    return { code: 'insufficient_storage', message: 'The server has no disk space left for this image' };
  }
  logger.error({ err: thrown, jobId }, 'an image failed unexpectedly');
  return { code: 'processing_failed', message: 'The image could not be processed' };
}
