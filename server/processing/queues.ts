import { StartError } from '../errors.ts';
import type { ProcessingConfig } from './config.ts';
import { defaultWorkMemoryMb } from './memory.ts';
import type { RenderReport, RenderTask } from './shared/protocol.ts';
import type { Signer } from './shared/signer.ts';
import { createWorkerQueue, type WorkerQueue, type WorkerQueueOptions, type WorkerQueueTask } from './worker-queue.ts';

/** The worker queues of a processor. */
export interface Queues {
  encoding: WorkerQueue;
  /** Reads headers in a process of its own, so that no upload waits behind an encode. */
  probing: WorkerQueue;
  stealing: WorkStealing;
}

/** Limit for reading a header, which takes milliseconds. */
const PROBE_SECONDS = 5;
/** Processor time after which a slow header waits for all others: a busy machine makes none slow. */
const PROBE_SLICE_MS = 1000;

/**
 * Forks the worker processes.
 * @throws Error if a worker still loads SVG or the library's native format, StartError if a signature of `signer` is not valid
 */
export async function startQueues(
  config: ProcessingConfig,
  shared: Pick<WorkerQueueOptions, 'blockLoaders' | 'logger' | 'onUnexpected'>,
  signer: Signer | null = null,
): Promise<Queues> {
  const encoding = createWorkerQueue({
    ...shared,
    name: 'encoding',
    workers: config.WORKERS,
    memoryBytes: (config.WORK_MEMORY_MB ?? defaultWorkMemoryMb(config.WORKERS)) * 1_000_000,
    timeoutSeconds: config.IMAGE_TIMEOUT_SECONDS,
  });
  const probing = createWorkerQueue({
    ...shared,
    name: 'probing',
    workers: 1,
    memoryBytes: Number.POSITIVE_INFINITY,
    timeoutSeconds: Math.min(PROBE_SECONDS, config.IMAGE_TIMEOUT_SECONDS),
    queueLimit: config.PROBE_QUEUE_LIMIT,
    sliceMs: PROBE_SLICE_MS,
    killOnAbort: false,
  });
  const queues = { encoding, probing, stealing: createWorkStealing(encoding) };
  try {
    await Promise.all([encoding.refuseOpenLoaders(), probing.refuseOpenLoaders()]);
    // Both queues: the process for headers validates credentials within a short limit, and has loaded the library by then.
    const faults = signer ? await Promise.all([encoding.trySigner(signer), probing.trySigner(signer)]) : [];
    const [found = []] = faults.filter(({ length }) => length > 0);
    if (found.length > 0)
      throw new StartError(`CONTENT_CREDENTIALS_CERTIFICATE: a signature on trial is not valid (${found.join('; ')})`);
  } catch (error) {
    await closeQueues(queues);
    throw error;
  }
  return queues;
}

/** Ends the worker processes. */
export async function closeQueues({ encoding, probing }: Queues): Promise<void> {
  await Promise.all([encoding.close(), probing.close()]);
}

/** Load of a queue: running and waiting tasks. */
interface QueueLoad {
  busy: number;
  queued: number;
}

/** Load of a processor; `busy`, `queued`, `memoryBytes` and `pids` are those of both queues. */
export interface ProcessorStats extends QueueLoad {
  workers: number;
  memoryBytes: number;
  pids: number[];
  queues: Record<'encoding' | 'probing', QueueLoad>;
}

const NO_LOAD = { busy: 0, queued: 0, memoryBytes: 0, pids: [] };

/** Returns the load of a processor. @param queues undefined before the start and after the end */
export function statsOf(workers: number, queues: Queues | undefined): ProcessorStats {
  const encoding = queues?.encoding.stats() ?? NO_LOAD;
  const probing = queues?.probing.stats() ?? NO_LOAD;
  return {
    workers,
    busy: encoding.busy + probing.busy,
    queued: encoding.queued + probing.queued,
    memoryBytes: encoding.memoryBytes + probing.memoryBytes,
    pids: [...encoding.pids, ...probing.pids],
    queues: { encoding, probing },
  };
}

/** Runs renders so that no process idles while another has variants of an image queued. */
interface WorkStealing {
  /**
   * Renders the variants in one process, or in several if some are idle; all succeed or none. Yielded variants are removed
   * from `render.task`, so that a retry skips them.
   */
  run(render: WorkerQueueTask<RenderTask>): Promise<RenderReport[]>;
}

/** The part of a render that one process works on. */
interface Share {
  render: WorkerQueueTask<RenderTask>;
  /** Requests that the process yields some of its variants. */
  requestYield: () => void;
  /** True while a request is unanswered, or if the process has nothing to yield. */
  closed: boolean;
}

interface State {
  readonly queue: Pick<WorkerQueue, 'run' | 'hasRoom' | 'onIdle'>;
  readonly shares: Set<Share>;
  timer: NodeJS.Timeout | undefined;
}

// The images of a batch arrive within milliseconds of each other; before that an idle process may still get its own image.
const SETTLING_MS = 15;

/** Creates work stealing between the renders of a worker queue. */
function createWorkStealing(queue: State['queue']): WorkStealing {
  const state: State = { queue, shares: new Set(), timer: undefined };
  queue.onIdle(() => scheduleSteal(state));
  return {
    async run(render) {
      const taskGroup = createTaskGroup<RenderReport[]>(render.signal);
      addShare(state, taskGroup, render);
      return (await taskGroup.all).flat();
    },
  };
}

function scheduleSteal(state: State): void {
  if (state.timer || state.shares.size === 0) return;
  state.timer = setTimeout(() => {
    state.timer = undefined;
    const open = [...state.shares].filter(({ closed, render }) => !closed && state.queue.hasRoom(render.memoryBytes));
    const [fullest] = open.sort((one, other) => other.render.task.variants.length - one.render.task.variants.length);
    if (!fullest) return;
    fullest.closed = true;
    fullest.requestYield();
  }, SETTLING_MS).unref();
}

/** Queues a share of a render; variants that its process yields become another share. */
function addShare(state: State, taskGroup: TaskGroup<RenderReport[]>, render: WorkerQueueTask<RenderTask>): void {
  const { shares } = state;
  const { task } = render;
  let share: Share | undefined;
  const withdraw = () => {
    if (share) shares.delete(share);
    share = undefined;
  };
  const connect = (requestYield: (() => void) | undefined) => {
    withdraw();
    if (!requestYield || task.variants.length < 2) return;
    share = { render, requestYield, closed: false };
    shares.add(share);
    scheduleSteal(state);
  };
  const onYielded = (names: string[]) => {
    // Another process may have variants to yield.
    if (names.length === 0) return scheduleSteal(state);
    const yielded = task.variants.filter(({ name }) => names.includes(name));
    task.variants = task.variants.filter(({ name }) => !names.includes(name));
    if (share) share.closed = false;
    addShare(state, taskGroup, { ...render, task: { ...task, variants: yielded } });
  };
  taskGroup.add(async (signal) => {
    try {
      return await state.queue.run<RenderReport[]>({ ...render, signal, connect, onYielded });
    } finally {
      withdraw();
    }
  });
}

/** Concurrent tasks that succeed or fail together; tasks can be added while one is running. */
interface TaskGroup<T> {
  add(task: (signal: AbortSignal) => Promise<T>): void;
  /** Settles when the last task has ended: results in order of completion, or the first failure. */
  all: Promise<T[]>;
}

/**
 * Creates a group of concurrent tasks: if one fails, the others are aborted and awaited.
 * @param signal aborts all tasks
 */
export function createTaskGroup<T>(signal: AbortSignal | undefined): TaskGroup<T> {
  const abort = new AbortController();
  const results: T[] = [];
  let running = 0;
  let failure: { reason: unknown } | undefined;
  let settle: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const onAbort = () => abort.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });

  async function follow(task: (signal: AbortSignal) => Promise<T>): Promise<void> {
    running += 1;
    try {
      abort.signal.throwIfAborted();
      results.push(await task(abort.signal));
    } catch (reason) {
      failure ??= { reason };
      abort.abort(reason);
    }
    running -= 1;
    if (running === 0) settle();
  }

  return {
    add: (task) => void follow(task),
    all: ended.then(() => {
      signal?.removeEventListener('abort', onAbort);
      if (failure) throw failure.reason;
      return results;
    }),
  };
}
