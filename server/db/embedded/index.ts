// Owns the embedded database: MongoDB's wire protocol over LMDB, in a worker thread. Must not know the service.
import { Worker } from 'node:worker_threads';
import { makePrivateDirectory } from './ownership.ts';
import { openStore } from './store.ts';
import type { WorkerMessage } from './worker.ts';
import { WORKER_FILE, WORKER_LOADER } from './worker-file.ts';

export { SUPPORTED } from './subset.ts';

/** Options of the embedded database. */
export interface EmbeddedOptions {
  /** Data directory; created with mode 0700 if it is missing. */
  directory: string;
  /** Seconds between two removals of expired documents. @default 60 */
  ttlSeconds?: number;
  /** Receives failures that are not reported to a client. */
  logger?: { warn(message: string): void };
  /** Called once if the database exits unexpectedly; it can no longer be used. */
  onEnd?: (error: Error) => void;
}

/** A running embedded database. */
export interface Embedded {
  /** For mongoose or any MongoDB driver on this machine. */
  uri: string;
  /** True when this call serves the directory, false when another process does. */
  owner: boolean;
  /** Stops serving after all accepted writes are on disk; no effect if another process serves the directory. */
  close(): Promise<void>;
}

/**
 * Serves a directory, or finds the process that serves it, and returns the connection string.
 * @throws Error if the directory cannot be used
 */
export async function startEmbedded({ directory, ttlSeconds = 60, logger, onEnd }: EmbeddedOptions): Promise<Embedded> {
  const worker = createWorker({ directory, ttlSeconds });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const { owner, address } = await new Promise<Extract<WorkerMessage, { type: 'ready' }>>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the embedded database ended before it was ready')));
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'ready') resolve(message);
      else logger?.warn(message.message);
    });
  });
  let closing = false;
  let failure: Error | undefined;
  worker.on('error', (error) => {
    failure = error;
  });
  void exited.then(() => {
    if (closing) return;
    failure ??= new Error('its thread was stopped');
    logger?.warn(`the embedded database ended: ${failure.message}`);
    onEnd?.(failure);
  });
  const host = address.endsWith('.sock') ? encodeURIComponent(address) : address;
  const uri = `mongodb://${host}/embedded?directConnection=true`;
  const close = async () => {
    closing = true;
    worker.postMessage('close');
    await exited;
  };
  if (owner) return { uri, owner, close };
  await close();
  return { uri, owner, close: async () => {} };
}

function createWorker(workerData: { directory: string; ttlSeconds: number }): Worker {
  // A small young generation: 30 MB less with 100,000 documents, at the same speed.
  const resourceLimits = { maxYoungGenerationSizeMb: 8 };
  return new Worker(WORKER_FILE, { workerData, resourceLimits, execArgv: [...WORKER_LOADER] });
}

/**
 * Writes a consistent snapshot of a database, whether a process serves it or not, into a new directory. Every write that
 * was acknowledged before the call is in it.
 * @throws Error with the code ENOSPC, or if the directory holds a database
 */
export async function snapshotEmbedded(directory: string, to: string): Promise<void> {
  makePrivateDirectory(to);
  const store = openStore(directory);
  try {
    await store.snapshot(to);
  } finally {
    await store.close();
  }
}
