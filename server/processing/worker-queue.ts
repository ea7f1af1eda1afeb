import { randomUUID } from 'node:crypto';
import type { EncodedFormat } from '#contract';
import { AppError } from '../errors.ts';
import { createQuarantine } from './quarantine.ts';
import { createScheduler } from './scheduler.ts';
import type { WorkerOutcome } from './shared/protocol.ts';
import { createWorkerPool, type RunOptions, WorkerCrashed, WorkerTimedOut } from './worker-pool.ts';

/** Identifies a task in the quarantine: an image that crashes one handler or encoder may succeed in another. */
export interface Suspect {
  handler: 'probe' | 'render' | 'preview' | 'inspect';
  /** The image's hash, or its path. */
  image: string;
  /** Output format. */
  format?: EncodedFormat;
}

/** One task of a worker queue. */
export interface QueuedTask extends Suspect, Pick<RunOptions, 'signal' | 'onStep' | 'connect' | 'onYielded'> {
  task: unknown;
  /** Id shared by the tasks of one render: their crashes count once, and {@link WorkerQueue.release} clears them on success. */
  render?: string;
  group: string;
  memoryBytes: number;
}

/** A queue of tasks and the worker processes that run them. */
export interface WorkerQueue {
  /** Runs a task; one retry after a crash. Rejects with AppError or the signal's reason. */
  run<T>(task: QueuedTask): Promise<T>;
  /** True if a task with this memory estimate would start at once. */
  hasRoom(memoryBytes: number): boolean;
  /** Calls the listener whenever a process becomes free and no task is queued. */
  onIdle(listener: () => void): void;
  /** Clears the crashes of an image that was processed successfully. */
  release(suspect: Suspect): void;
  /** @throws Error naming the loaders that should be blocked but still work */
  refuseOpenLoaders(): Promise<void>;
  stats(): { busy: number; queued: number; memoryBytes: number; pids: number[] };
  close(): Promise<void>;
}

/** Size and limits of a worker queue. */
export interface WorkerQueueOptions {
  name: string;
  workers: number;
  memoryBytes: number;
  timeoutSeconds: number;
  /** Tasks that may wait; more are refused with `overloaded`. @default no limit */
  queueLimit?: number;
  /** Kills the process of an aborted task; false only ignores its result, which suits tasks of milliseconds. @default true */
  killOnAbort?: boolean;
  blockLoaders: boolean;
  logger: Record<'info' | 'warn' | 'error', (details: object, message: string) => void>;
}

const ATTEMPTS = 2;
const RETRY_AFTER_SECONDS = '2';

/** Creates a worker queue and forks its processes. */
export function createWorkerQueue(options: WorkerQueueOptions): WorkerQueue {
  const { name, logger, timeoutSeconds, queueLimit = Number.POSITIVE_INFINITY, killOnAbort = true } = options;
  const pool = createWorkerPool({ size: options.workers, blockLoaders: options.blockLoaders });
  const scheduler = createScheduler({ slots: options.workers, memoryBytes: options.memoryBytes });
  const quarantine = createQuarantine();

  async function attempt<T>(queued: QueuedTask): Promise<T> {
    const { handler, task, image, signal, onStep, connect, onYielded, render } = queued;
    const suspect = nameOf(queued);
    const occasion = render ?? randomUUID();
    for (let round = 1; ; round += 1) {
      if (quarantine.holds(suspect)) {
        throw new AppError('processing_failed', 'The image made the image library crash and is not tried again');
      }
      try {
        const outcome = await pool.run<T>(handler, task, { timeoutSeconds, signal, onStep, connect, onYielded });
        if (!render) quarantine.release(suspect);
        return unwrap(outcome, image);
      } catch (error) {
        if (error instanceof WorkerTimedOut) {
          const message = `The image took longer than the limit of ${timeoutSeconds} seconds`;
          throw new AppError('processing_timeout', message, { details: { limit: timeoutSeconds }, cause: error });
        }
        if (!(error instanceof WorkerCrashed)) throw error;
        if (error.started) quarantine.add(suspect, `${occasion} ${round}`);
        logger.warn({ queue: name, handler, image, round, err: error }, 'a worker process died');
        if (round < ATTEMPTS) continue;
        throw new AppError('processing_failed', 'The image could not be processed: its process died twice', {
          cause: error,
        });
      }
    }
  }

  function unwrap<T>(outcome: WorkerOutcome<T>, image: string): T {
    if (outcome.ok) return outcome.value;
    const { code, message, details, cause } = outcome.failure;
    logger.info({ queue: name, image, code, cause }, 'an image was refused');
    throw new AppError(code, message, { ...(details ? { details } : {}), cause });
  }

  return {
    run<T>(task: QueuedTask): Promise<T> {
      if (scheduler.stats().queued >= queueLimit) {
        const error = new AppError('overloaded', 'Too many images are waiting to be read; try again shortly', {
          headers: { 'Retry-After': RETRY_AFTER_SECONDS },
        });
        return Promise.reject(error);
      }
      const { group, memoryBytes, signal } = task;
      if (killOnAbort) return scheduler.run({ group, memoryBytes, signal, execute: () => attempt<T>(task) });
      const uninterrupted = { ...task, signal: undefined };
      return abandonable(
        scheduler.run({ group, memoryBytes, signal, execute: () => attempt<T>(uninterrupted) }),
        signal,
      );
    },
    hasRoom: (memoryBytes) => scheduler.hasRoom(memoryBytes),
    onIdle: (listener) => scheduler.onIdle(listener),
    release: (suspect) => quarantine.release(nameOf(suspect)),
    async refuseOpenLoaders() {
      const outcome = await pool.run<string[]>('openLoaders', null, { timeoutSeconds });
      const open = outcome.ok ? outcome.value : ['unknown'];
      if (open.length > 0) throw new Error(`Refusing to start: the image library still loads ${open.join(', ')} files`);
    },
    stats() {
      const { running, queued, memoryBytes } = scheduler.stats();
      return { busy: running, queued, memoryBytes, pids: pool.pids() };
    },
    close() {
      const error = new AppError('shutting_down', 'The service is stopping', { headers: { 'Retry-After': '5' } });
      scheduler.close(error);
      return pool.close(error);
    },
  };
}

function nameOf({ handler, format, image }: Suspect): string {
  return [handler, format, image].join(' ');
}

/** Rejects with the signal's reason as soon as it is aborted; the work continues. */
function abandonable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
