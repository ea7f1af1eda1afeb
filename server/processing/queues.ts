import type { ProcessingConfig } from './config.ts';
import { createWorkStealing, type WorkStealing } from './work-stealing.ts';
import { createWorkerQueue, type WorkerQueue, type WorkerQueueOptions } from './worker-queue.ts';

/** The worker queues of a processor. */
export interface Queues {
  encoding: WorkerQueue;
  /** A process of its own, so that no upload waits behind an encode. */
  interactive: WorkerQueue;
  stealing: WorkStealing;
}

// Limit for headers and previews, which take milliseconds.
const INTERACTIVE_SECONDS = 30;

/** Forks the worker processes. @throws Error if a worker still loads SVG or the library's native format */
export async function startQueues(
  config: ProcessingConfig,
  shared: Pick<WorkerQueueOptions, 'blockLoaders' | 'logger'>,
): Promise<Queues> {
  const encoding = createWorkerQueue({
    ...shared,
    name: 'encoding',
    workers: config.WORKERS,
    memoryBytes: config.WORK_MEMORY_MB * 1_000_000,
    timeoutSeconds: config.IMAGE_TIMEOUT_SECONDS,
  });
  const interactive = createWorkerQueue({
    ...shared,
    name: 'interactive',
    workers: 1,
    memoryBytes: Number.POSITIVE_INFINITY,
    timeoutSeconds: Math.min(INTERACTIVE_SECONDS, config.IMAGE_TIMEOUT_SECONDS),
    queueLimit: config.PROBE_QUEUE_LIMIT,
    killOnAbort: false,
  });
  const queues = { encoding, interactive, stealing: createWorkStealing(encoding) };
  try {
    await Promise.all([encoding.refuseOpenLoaders(), interactive.refuseOpenLoaders()]);
  } catch (error) {
    await closeQueues(queues);
    throw error;
  }
  return queues;
}

/** Ends the worker processes. */
export async function closeQueues({ encoding, interactive }: Queues): Promise<void> {
  await Promise.all([encoding.close(), interactive.close()]);
}
