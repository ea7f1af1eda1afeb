import { StartError } from '../errors.ts';
import type { ProcessingConfig } from './config.ts';
import { defaultWorkMemoryMb } from './memory.ts';
import type { Signer } from './shared/signer.ts';
import { createWorkStealing, type WorkStealing } from './work-stealing.ts';
import { createWorkerQueue, type WorkerQueue, type WorkerQueueOptions } from './worker-queue.ts';

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
