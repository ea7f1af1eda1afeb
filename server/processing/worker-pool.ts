import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import Tinypool from 'tinypool';
import type { PoolMessage, RenderStep, WorkerMessage, WorkerOutcome } from './shared/protocol.ts';
import { WORKER_FILE, WORKER_LOADER } from './worker-file.ts';

/** The process of a task died: a crash of native code, the kernel's memory killer, or a kill from outside. */
export class WorkerCrashed extends Error {
  /** False if the process died before it took the task, so that the image is not the cause. */
  readonly started: boolean;
  /** Signal that ended the process, if it had taken the task. */
  readonly endedBy: NodeJS.Signals | null;

  constructor(started: boolean, cause: unknown, endedBy: NodeJS.Signals | null = null) {
    super(`The worker process died${endedBy ? ` by ${endedBy}` : ''}`, { cause });
    this.name = 'WorkerCrashed';
    this.started = started;
    this.endedBy = endedBy;
  }
}

/** A task took longer than its limit and its process was killed. */
export class WorkerTimedOut extends Error {}

/** Options of one task. */
export interface RunOptions {
  /** Processor time of the process, counted from the moment it takes the task; a process that stands still is killed, too. */
  timeoutSeconds: number;
  signal?: AbortSignal | undefined;
  onStep?: ((step: RenderStep) => void) | undefined;
  /** Receives a stopwatch of the process's own time, in milliseconds, once it has taken the task. */
  onTaken?: ((usedMs: () => number) => void) | undefined;
  /** Receives a function that requests variants from the process once it has taken the task, and undefined at the end. */
  connect?: ((ask: (() => void) | undefined) => void) | undefined;
  /** Receives the names of the variants that the process yields. */
  onYielded?: ((names: string[]) => void) | undefined;
}

/** A fixed number of child processes, one task each at a time; a dead one is replaced. */
export interface WorkerPool {
  /** Runs a handler of the worker. Rejects with WorkerCrashed, WorkerTimedOut or the signal's reason; then the process is gone. */
  run<T>(handler: string, task: unknown, options: RunOptions): Promise<WorkerOutcome<T>>;
  pids(): number[];
  /** Kills running tasks, which reject with the reason, and ends the processes. */
  close(reason: unknown): Promise<void>;
}

interface State {
  readonly tinypool: Tinypool;
  readonly running: Map<RunningTask, Promise<unknown>>;
  closed: { reason: unknown } | undefined;
}

// Limit of forking and loading the library.
const START_SECONDS = 120;

const MEBIBYTE = 1024 * 1024;

/**
 * Creates a pool of child processes.
 *
 * Tinypool forks (a crash of native code ends one process, not the service), notices a death within milliseconds, forks again,
 * carries progress messages and exposes its pids. workerpool sends SIGTERM after a grace period and hides its pids; an abort or a
 * time limit must end an encode at once, hence SIGKILL. Tinypool's own queue stays empty: the scheduler limits memory and is fair.
 */
export function createWorkerPool({ size, blockLoaders }: { size: number; blockLoaders: boolean }): WorkerPool {
  const tinypool = new Tinypool({
    runtime: 'child_process',
    filename: WORKER_FILE.href,
    minThreads: size,
    maxThreads: size,
    // Pixels are outside the JavaScript heap, which stays small; the worker collects it after each image. Incremental marking, which
    // every large buffer starts, took half of a worker's time beside encoding: 20 ms an image.
    execArgv: ['--max-old-space-size=256', '--expose-gc', '--no-incremental-marking', ...WORKER_LOADER],
    env: workerEnvironment(blockLoaders),
  });
  // A process that dies between two tasks is replaced.
  tinypool.on('error', () => {});
  const state: State = { tinypool, running: new Map(), closed: undefined };
  return {
    run: (handler, task, options) => run(state, handler, task, options),
    pids: () => tinypool.threads.map((thread) => thread.threadId),
    async close(reason) {
      state.closed = { reason };
      const outcomes = [...state.running.values()];
      for (const task of state.running.keys()) task.kill(reason);
      await Promise.allSettled(outcomes);
      await tinypool.destroy();
    },
  };
}

async function run<T>(state: State, handler: string, task: unknown, options: RunOptions): Promise<WorkerOutcome<T>> {
  const { signal } = options;
  signal?.throwIfAborted();
  if (state.closed) throw state.closed.reason;
  const running = new RunningTask(options, (pid) => processOf(state.tinypool, pid));
  const onAbort = () => running.kill(signal?.reason ?? new Error('aborted'));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const { queueSignal, channel } = running;
    const outcome = state.tinypool.run(task, { name: handler, signal: queueSignal, channel });
    state.running.set(running, outcome);
    return (await outcome) as WorkerOutcome<T>;
  } catch (error) {
    throw running.failure(error);
  } finally {
    state.running.delete(running);
    running.end();
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Time limits, messages and the kill of one task. */
class RunningTask {
  readonly #options: RunOptions;
  readonly #queue = new AbortController();
  /** The process, once it has taken the task. */
  #pid: number | undefined;
  /** Reason of the kill. */
  #killed: unknown;
  #cancelLimit: () => void;
  #send: (message: PoolMessage) => void = () => {};

  readonly #find: (pid: number) => ChildProcess | undefined;
  #process: ChildProcess | undefined;

  constructor(options: RunOptions, find: (pid: number) => ChildProcess | undefined) {
    this.#options = options;
    this.#find = find;
    const timer = setTimeout(() => this.kill(new WorkerCrashed(false, 'did not start')), START_SECONDS * 1000);
    this.#cancelLimit = () => clearTimeout(timer);
  }

  /** Aborts when the task is killed before a process took it. */
  get queueSignal(): AbortSignal {
    return this.#queue.signal;
  }

  /** Message channel between the task and its process. */
  readonly channel = {
    postMessage: (message: WorkerMessage) => this.#receive(message),
    onMessage: (send: (message: PoolMessage) => void) => {
      this.#send = send;
    },
  };

  kill(reason: unknown): void {
    this.#killed ??= reason;
    if (this.#pid === undefined) this.#queue.abort();
    else killProcess(this.#pid);
  }

  /** Returns the error to reject with. @param cause the pool's error */
  failure(cause: unknown): unknown {
    return this.#killed ?? new WorkerCrashed(this.#pid !== undefined, cause, this.#process?.signalCode);
  }

  end(): void {
    this.#options.connect?.(undefined);
    this.#cancelLimit();
  }

  #receive(message: WorkerMessage): void {
    if (message.type === 'step') this.#options.onStep?.(message.step);
    else if (message.type === 'yielded') this.#options.onYielded?.(message.names);
    else this.#started(message.pid);
  }

  #started(pid: number): void {
    this.#pid = pid;
    this.#process = this.#find(pid);
    if (this.#killed !== undefined) {
      killProcess(pid);
      return;
    }
    this.#cancelLimit();
    const usedMs = measureProcessorTime(pid);
    this.#cancelLimit = limitProcessorTime(usedMs, this.#options.timeoutSeconds, () => this.kill(new WorkerTimedOut()));
    this.#options.onTaken?.(usedMs);
    this.#options.connect?.(() => this.#send({ type: 'yield' }));
  }
}

/** Returns the child process of a worker, which Tinypool keeps but does not declare; its error names no signal. */
function processOf({ threads }: Tinypool, pid: number): ChildProcess | undefined {
  const worker = threads.find(({ threadId }) => threadId === pid) as { process?: ChildProcess } | undefined;
  return worker?.process;
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

/** Environment of a worker process: only what Node and the image library need, no secrets. */
function workerEnvironment(blockLoaders: boolean): Record<string, string> {
  const kept = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'LD_LIBRARY_PATH', 'NODE_ENV'];
  const environment: Record<string, string> = {
    // One heap instead of eight a core, so that memory freed by one thread serves all. Measured on 6 photographs with widths, two at
    // a time: peak of 568 MB against 667 MB with two heaps, at the same speed.
    MALLOC_ARENA_MAX: '1',
    // Pixels come from that heap too, and up to 96 MB stay allocated for the next image; otherwise each buffer is mapped and unmapped.
    // Measured on 40 photographs: 31,000 page faults against 222,000, 4 % less processor time.
    MALLOC_MMAP_THRESHOLD_: String(256 * MEBIBYTE),
    MALLOC_TRIM_THRESHOLD_: String(96 * MEBIBYTE),
    // Otherwise the library writes a line to standard error for each damaged file.
    VIPS_WARNING: '0',
    ...(blockLoaders ? { VIPS_BLOCK_UNTRUSTED: '1' } : { IMAGE_LOADERS: 'all' }),
  };
  for (const name of kept) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

/** Milliseconds a clock tick of /proc/PID/stat, on every Linux that Node runs on. */
const TICK_MS = 10;

/**
 * Starts a stopwatch of the processor time that a process uses; elsewhere than on Linux, of the time that passes.
 * @returns reads the milliseconds since; 0 after the end of the process
 */
export function measureProcessorTime(pid: number): () => number {
  const before = readProcessorTime(pid);
  if (before === undefined) {
    const startedAt = performance.now();
    return () => performance.now() - startedAt;
  }
  return () => Math.max(0, (readProcessorTime(pid) ?? 0) - before);
}

/** Returns the processor time of a process, user and system, in milliseconds; undefined if the kernel does not tell. */
function readProcessorTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined;
  }
}

/** Part of the time passed below which the processor time of a process counts as a standstill: it waits for an event that never comes. */
const STANDSTILL = 0.01;
/** Least milliseconds between two checks: below that, a pause of the whole machine would seem a standstill. */
const CHECK_EVERY_MS = 5_000;

/**
 * Calls `onOver` once a process has used `seconds` of processor time by a stopwatch that `measureProcessorTime` started, or was found
 * at a standstill by two checks in a row: on a busy machine, a process may wait for a processor, or its outcome for this process. There
 * it takes longer than `seconds` by the clock, never less.
 * @returns cancels the limit
 */
export function limitProcessorTime(usedMs: () => number, seconds: number, onOver: () => void): () => void {
  const limitMs = seconds * 1000;
  let timer: NodeJS.Timeout;
  const wait = (waitMs: number, before: number, stood: boolean) => {
    timer = setTimeout(() => {
      const used = usedMs();
      const stands = used - before < waitMs * STANDSTILL;
      if (used >= limitMs || (stands && stood)) onOver();
      else wait(stands ? CHECK_EVERY_MS : Math.max(limitMs - used, CHECK_EVERY_MS), used, stands);
    }, waitMs);
  };
  wait(limitMs, 0, false);
  return () => clearTimeout(timer);
}
