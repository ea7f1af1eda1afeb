import Tinypool from 'tinypool';
import type { PoolMessage, RenderStep, WorkerMessage, WorkerOutcome } from './shared/protocol.ts';
import { WORKER_FILE, WORKER_LOADER } from './worker-file.ts';

/** The process that ran a task died: a crash of native code, the kernel's memory killer, or a kill from outside. */
export class WorkerCrashed extends Error {
  /** False when the process died before it took the task: the image is not to blame. */
  readonly started: boolean;

  constructor(started: boolean, cause: unknown) {
    super('The worker process died', { cause });
    this.name = 'WorkerCrashed';
    this.started = started;
  }
}

/** A task took longer than its limit and its process was killed. */
export class WorkerTimedOut extends Error {}

/** Options of one task. */
export interface RunOptions {
  /** Counted from the moment a process takes the task. */
  timeoutSeconds: number;
  signal?: AbortSignal | undefined;
  onStep?: ((step: RenderStep) => void) | undefined;
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
  /** Kills what runs, which rejects with the reason, and ends the processes. */
  close(reason: unknown): Promise<void>;
}

// Forking and loading the library; a process that takes longer is stuck.
const START_SECONDS = 30;

const MEBIBYTE = 1024 * 1024;

/**
 * Creates a pool of child processes.
 *
 * Tinypool, because it forks (native code that crashes takes one process, not the service), notices a death within milliseconds and
 * forks again, carries progress messages and shows its pids. Measured against workerpool: that one asks a worker to leave, waits, and
 * then sends SIGTERM, and its pids are private; here an abort or a time limit must end an encode at once, so the process gets a SIGKILL.
 * Its own queue stays empty: the scheduler above knows memory and fairness.
 */
export function createWorkerPool({ size, blockLoaders }: { size: number; blockLoaders: boolean }): WorkerPool {
  const pool = new Tinypool({
    runtime: 'child_process',
    filename: WORKER_FILE.href,
    minThreads: size,
    maxThreads: size,
    // Pixels live outside the JavaScript heap, which stays small; the worker collects it after each image. Marking it step by step as
    // well, which every large buffer sets off, took half of what a worker does beside encoding: 20 ms an image.
    execArgv: ['--max-old-space-size=256', '--expose-gc', '--no-incremental-marking', ...WORKER_LOADER],
    env: workerEnvironment(blockLoaders),
  });
  // A process that dies between two tasks is replaced; nobody waits for it.
  pool.on('error', () => {});
  const running = new Map<(reason: unknown) => void, Promise<unknown>>();
  let closed: { reason: unknown } | undefined;

  return {
    async run<T>(handler: string, task: unknown, { timeoutSeconds, signal, onStep, connect, onYielded }: RunOptions) {
      let pid: number | undefined;
      let ended: unknown;
      let send: (message: PoolMessage) => void = () => {};
      const queueSignal = new AbortController();
      const kill = (reason: unknown) => {
        ended ??= reason;
        if (pid === undefined) queueSignal.abort();
        else killProcess(pid);
      };
      const onAbort = () => kill(signal?.reason ?? new Error('aborted'));
      signal?.throwIfAborted();
      if (closed) throw closed.reason;
      signal?.addEventListener('abort', onAbort, { once: true });
      let timer = setTimeout(() => kill(new WorkerCrashed(false, 'did not start')), START_SECONDS * 1000);
      const onMessage = (message: WorkerMessage) => {
        if (message.type === 'step') return onStep?.(message.step);
        if (message.type === 'yielded') return onYielded?.(message.names);
        pid = message.pid;
        if (ended !== undefined) return killProcess(pid);
        clearTimeout(timer);
        timer = setTimeout(() => kill(new WorkerTimedOut()), timeoutSeconds * 1000);
        connect?.(() => send({ type: 'yield' }));
      };
      try {
        const channel = {
          postMessage: onMessage,
          onMessage(sender: (message: PoolMessage) => void) {
            send = sender;
          },
        };
        const outcome = pool.run(task, { name: handler, signal: queueSignal.signal, channel });
        running.set(kill, outcome);
        return (await outcome) as WorkerOutcome<T>;
      } catch (error) {
        throw ended ?? new WorkerCrashed(pid !== undefined, error);
      } finally {
        running.delete(kill);
        connect?.(undefined);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      }
    },
    pids: () => pool.threads.map((thread) => thread.threadId),
    async close(reason) {
      closed = { reason };
      const outcomes = [...running.values()];
      for (const kill of running.keys()) kill(reason);
      await Promise.allSettled(outcomes);
      await pool.destroy();
    },
  };
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
    // One heap instead of eight a core: what one image frees serves the next, whichever thread asks. Measured on 6 photographs with
    // widths, two at a time: 568 MB at the peak against 667 with two heaps, at the same speed.
    MALLOC_ARENA_MAX: '1',
    // Pixels come from that heap too, and up to 96 MB of it stay for the next image: else each buffer is fetched from the kernel page by
    // page and given back. Measured on 40 photographs: 31,000 page faults against 222,000, 4 % less processor time.
    MALLOC_MMAP_THRESHOLD_: String(256 * MEBIBYTE),
    MALLOC_TRIM_THRESHOLD_: String(96 * MEBIBYTE),
    // The library's warnings go to the standard error of the service, one line for each damaged file.
    VIPS_WARNING: '0',
    ...(blockLoaders ? { VIPS_BLOCK_UNTRUSTED: '1' } : { IMAGE_LOADERS: 'all' }),
  };
  for (const name of kept) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}
