import { randomUUID } from 'node:crypto';
import type { EncodedFormat } from '#contract';
import { withAbort } from '../concurrency.ts';
import { AppError } from '../errors.ts';
import { memoryLimit } from './memory.ts';
import { countMemoryKills } from './memory-kills.ts';
import { createScheduler, GaveWayTooOften, type ScheduledTask, type Scheduler } from './scheduler.ts';
import type { WorkerOutcome } from './shared/protocol.ts';
import type { Signer } from './shared/signer.ts';
import type { TimeBudget } from './time-budget.ts';
import { createWorkerPool, type RunOptions, WorkerCrashed, type WorkerPool, WorkerTimedOut } from './worker-pool.ts';

export { countMemoryKills } from './memory-kills.ts';

/** Identifies a task in the quarantine: an image that crashes one handler or encoder may succeed in another. */
export interface Suspect {
  handler: 'probe' | 'render' | 'preview' | 'inspect' | 'placeholder';
  /** The image's hash, or its path. */
  image: string;
  /** Output format. */
  format?: EncodedFormat;
}

/** One task of a worker queue. */
export interface WorkerQueueTask<Task = unknown>
  extends Suspect,
    Omit<ScheduledTask<unknown>, 'execute'>,
    Pick<RunOptions, 'signal' | 'onStep' | 'connect' | 'onYielded' | 'onTaken'> {
  /** The message to the worker's handler. */
  task: Task;
  /** Time that this task shares with the others of its image. @default the limit of the queue for this task alone */
  budget?: TimeBudget | undefined;
  /** Id shared by the tasks of one render: their crashes count once, and {@link WorkerQueue.release} clears them on success. */
  render?: string;
}

/** A queue of tasks and the worker processes that run them. */
export interface WorkerQueue {
  /** Runs a task; one retry after a crash. Rejects with AppError or the signal's reason. */
  run<T>(task: WorkerQueueTask): Promise<T>;
  /** True if a task with this memory estimate would start at once. */
  hasRoom(memoryBytes: number): boolean;
  /** Calls the listener whenever a process becomes free and no task is queued. */
  onIdle(listener: () => void): void;
  /** Clears the failures of an image that was processed successfully. */
  release(suspect: Suspect & Pick<WorkerQueueTask, 'budget'>): void;
  /** @throws Error naming the loaders that should be blocked but still work */
  refuseOpenLoaders(): Promise<void>;
  /** Signs on trial. @returns what is wrong with the signature; nothing if it is valid */
  trySigner(signer: Signer): Promise<string[]>;
  stats(): { busy: number; queued: number; memoryBytes: number; pids: number[] };
  close(): Promise<void>;
}

/** Size and limits of a worker queue. */
export interface WorkerQueueOptions {
  name: string;
  workers: number;
  memoryBytes: number;
  timeoutSeconds: number;
  /** Tasks that may be queued, of one account a quarter; more are refused with `overloaded`. @default no limit */
  queueLimit?: number;
  /** Processor time after which a running task gives way to every other. In milliseconds. @default no limit */
  sliceMs?: number;
  /** Kills the process of an aborted task; false only ignores its result, which suits tasks of milliseconds. @default true */
  killOnAbort?: boolean;
  blockLoaders: boolean;
  /** Processes that the kernel has killed for lack of memory. @default read from the kernel's counters */
  countMemoryKills?: () => number;
  logger: Record<'info' | 'warn' | 'error', (details: object, message: string) => void>;
  /** Called for each failure that is not the file's. */
  onUnexpected?: (() => void) | undefined;
}

interface Context {
  readonly options: WorkerQueueOptions;
  readonly pool: WorkerPool;
  readonly scheduler: Scheduler;
  readonly quarantine: Quarantine;
  readonly countMemoryKills: () => number;
}

const ATTEMPTS = 2;
/** Limit of a signature on trial, which loads its library. */
const SIGNER_SECONDS = 60;
/** Part of the queue that one account may fill. */
const ACCOUNT_SHARE = 0.25;
const RETRY_AFTER_SECONDS = '2';

/** Creates a worker queue and forks its processes. */
export function createWorkerQueue(options: WorkerQueueOptions): WorkerQueue {
  const pool = createWorkerPool({ size: options.workers, blockLoaders: options.blockLoaders });
  const { workers: slots, memoryBytes, sliceMs = Number.POSITIVE_INFINITY } = options;
  const scheduler = createScheduler({ slots, memoryBytes, sliceMs });
  const quarantine = createQuarantine();
  const { countMemoryKills: count = () => countMemoryKills() } = options;
  const context: Context = { options, pool, scheduler, quarantine, countMemoryKills: count };
  return {
    run: (task) => enqueue(context, task),
    hasRoom: (memoryBytes) => scheduler.hasRoom(memoryBytes),
    onIdle: (listener) => scheduler.onIdle(listener),
    release: (suspect) => quarantine.release(nameOf(suspect)),
    async refuseOpenLoaders() {
      const outcome = await pool.run<string[]>('openLoaders', null, { timeoutSeconds: options.timeoutSeconds });
      const open = outcome.ok ? outcome.value : ['unknown'];
      if (open.length > 0) throw new Error(`Refusing to start: the image library still loads ${open.join(', ')} files`);
    },
    async trySigner(signer) {
      const outcome = await pool.run<string[]>('checkSigner', signer, { timeoutSeconds: SIGNER_SECONDS });
      return outcome.ok ? outcome.value : [outcome.failure.cause ?? outcome.failure.message];
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

async function enqueue<T>(context: Context, task: WorkerQueueTask): Promise<T> {
  const { scheduler } = context;
  const { options } = context;
  const { killOnAbort = true } = options;
  const { turn, memoryBytes, budget } = task;
  const signal = anyOf(task.signal, budget?.signal);
  refuseOverload(context, turn.account);
  const execute: ScheduledTask<T>['execute'] = (givesWay, onTaken) => {
    const stops = signal && killOnAbort ? AbortSignal.any([signal, givesWay]) : givesWay;
    return runWithRetry<T>(context, { ...task, signal: stops, givesWay, onTaken });
  };
  const work = scheduler.run({ turn, memoryBytes, signal, execute }).catch((error: unknown) => {
    // Before a process took it, or while one had it.
    if (error instanceof WorkerTimedOut) throw timedOut(context, task, error);
    throw error instanceof GaveWayTooOften ? tookTooLong(task, options) : error;
  });
  return signal && !killOnAbort ? withAbort(work, signal) : work;
}

/** Returns true if an image has failed by a limit of time, or with its process, and so after work. */
export function endedByLimit(error: unknown): boolean {
  return error instanceof AppError && (error.cause instanceof WorkerTimedOut || error.cause instanceof WorkerCrashed);
}

function anyOf(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}

/** Counts a time limit against the image, and returns its error. */
function timedOut({ quarantine, options }: Context, task: WorkerQueueTask, cause: WorkerTimedOut): AppError {
  quarantine.add(nameOf(task), task.budget?.occasion ?? task.render ?? randomUUID());
  const limit = task.budget?.seconds ?? options.timeoutSeconds;
  const message = `The image took longer than the limit of ${limit} seconds`;
  return new AppError('processing_timeout', message, { details: { limit }, cause });
}

/** @throws AppError overloaded if the queue, or the account's share of it, is full */
function refuseOverload({ scheduler, options }: Context, account: string): void {
  const { queueLimit } = options;
  if (queueLimit === undefined) return;
  const isFull = scheduler.stats().queued >= queueLimit;
  if (isFull || scheduler.queuedOf(account) >= Math.ceil(queueLimit * ACCOUNT_SHARE)) {
    throw overloaded('Too many images are waiting to be read; try again shortly');
  }
}

/** Returns the error of a task that yielded too often; for an upload, only this file is refused. */
function tookTooLong({ handler }: WorkerQueueTask, { sliceMs = 0 }: WorkerQueueOptions): AppError {
  if (handler !== 'probe') return overloaded('The image takes long to process, and others wait; try again shortly');
  const limit = sliceMs / 1000;
  const message = `The image took more than ${limit} s of processor time to read, while others waited`;
  return new AppError('processing_timeout', message, { details: { limit } });
}

function overloaded(message: string): AppError {
  return new AppError('overloaded', message, { headers: { 'Retry-After': RETRY_AFTER_SECONDS } });
}

/** Runs a task, once more if its process dies. */
async function runWithRetry<T>(context: Context, task: WorkerQueueTask & { givesWay: AbortSignal }): Promise<T> {
  const { options, quarantine } = context;
  const { handler, image } = task;
  const suspect = nameOf(task);
  const occasion = task.render ?? randomUUID();
  for (let round = 1; ; round += 1) {
    if (quarantine.holds(suspect)) {
      const reason = 'crashed the image library, took too long or had its process killed';
      throw new AppError('processing_failed', `The image is not tried again for an hour: twice it ${reason}`);
    }
    const killsBefore = context.countMemoryKills();
    try {
      return await runInPool<T>(context, task, suspect);
    } catch (error) {
      if (!(error instanceof WorkerCrashed)) throw error;
      if (error.started) quarantine.add(suspect, `${occasion} ${round}`);
      const reason = reasonOfDeath(error, context.countMemoryKills() > killsBefore);
      const details = { queue: options.name, handler, image, round, reason, err: error };
      options.logger.warn(details, 'a worker process died');
      if (round < ATTEMPTS) continue;
      throw new AppError('processing_failed', `The image could not be processed: ${reason}`, { cause: error });
    }
  }
}

/** Describes why a process died; the kernel kills with SIGKILL if memory is short, and so do other programs that watch memory. */
function reasonOfDeath({ endedBy }: WorkerCrashed, counted: boolean): string {
  if (!counted && endedBy !== 'SIGKILL') return `its process died twice${endedBy ? ` (${endedBy})` : ''}`;
  const cause = `its process was killed${counted ? '' : ', most likely'} for lack of memory`;
  const { mb, constrained } = memoryLimit();
  const owner = constrained ? 'limit of the container' : 'memory of the machine';
  return `${cause} (${owner}: ${mb} MB); set a lower WORKERS or WORK_MEMORY_MB, or give it more memory`;
}

/** Runs a task in a worker process. @throws AppError, WorkerCrashed or the signal's reason */
async function runInPool<T>(
  { options, pool, quarantine }: Context,
  { budget, givesWay, handler, image, render, ...request }: WorkerQueueTask & { givesWay: AbortSignal },
  suspect: string,
): Promise<T> {
  const { name, logger, timeoutSeconds } = options;
  const { task, signal, onStep, connect, onYielded } = request;
  let stopCounting = (_counts?: boolean) => {};
  const onTaken = (usedMs: () => number) => {
    stopCounting = budget?.count(usedMs) ?? stopCounting;
    request.onTaken?.(usedMs);
  };
  let outcome: WorkerOutcome<T>;
  try {
    outcome = await pool.run<T>(handler, task, { timeoutSeconds, signal, onStep, connect, onYielded, onTaken });
  } finally {
    // A task that makes way for others begins anew, which is not its image's fault.
    stopCounting(!givesWay.aborted);
  }
  if (!render) quarantine.release(suspect);
  if (outcome.ok) return outcome.value;
  const { code, message, details, cause, unexpected } = outcome.failure;
  if (unexpected) {
    logger.error({ queue: name, handler, image, code, cause }, 'an image failed unexpectedly');
    options.onUnexpected?.();
  } else logger.info({ queue: name, image, code, cause }, 'an image was refused');
  throw new AppError(code, message, { ...(details ? { details } : {}), cause });
}

function nameOf({ handler, format, image, budget }: Suspect & Pick<WorkerQueueTask, 'budget'>): string {
  return [handler, budget?.work ?? format, image].join(' ');
}

/** Counts the failures and timeouts of each image. */
interface Quarantine {
  /** True if the image has failed twice within an hour and must not be tried again yet. */
  holds(image: string): boolean;
  /** Counts a crash or a timeout; several with one `occasion` (the shares of a render) count once. */
  add(image: string, occasion: string): void;
  /** Clears the failures of an image that was processed: something else had ended its process. */
  release(image: string): void;
}

const FAILURES_ALLOWED = 2;
const MAX_REMEMBERED = 10_000;

/** After an hour an image is tried again, since a busy machine may have been the reason. */
const KEPT_MS = 3_600_000;

/**
 * Creates an empty quarantine in memory. Above 10,000 images it drops the oldest.
 * @param monotonicNow clock in milliseconds
 */
export function createQuarantine(monotonicNow = () => performance.now()): Quarantine {
  const failures = new Map<string, { occasions: Set<string>; lastAt: number }>();
  const recent = (image: string) => {
    const found = failures.get(image);
    return found && monotonicNow() - found.lastAt < KEPT_MS ? found.occasions : new Set<string>();
  };
  return {
    holds: (image) => recent(image).size >= FAILURES_ALLOWED,
    add(image, occasion) {
      failures.set(image, { occasions: recent(image).add(occasion), lastAt: monotonicNow() });
      const oldest = failures.keys().next().value;
      if (failures.size > MAX_REMEMBERED && oldest !== undefined) failures.delete(oldest);
    },
    release: (image) => failures.delete(image),
  };
}
