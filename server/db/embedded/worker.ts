import { parentPort, workerData } from 'node:worker_threads';
import { createEngine } from './engine.ts';
import { removeExpired } from './expiry.ts';
import { claimDirectory, makePrivateDirectory } from './ownership.ts';
import { createProtocolServer } from './server.ts';
import { openStore } from './store.ts';

/** Messages of the worker to its parent thread. */
export type WorkerMessage = { type: 'ready'; owner: boolean; address: string } | { type: 'warning'; message: string };

const { directory, ttlSeconds } = workerData as { directory: string; ttlSeconds: number };
const post = (message: WorkerMessage) => parentPort?.postMessage(message);

makePrivateDirectory(directory);
const store = openStore(directory);
const protocol = createProtocolServer();
const { owner, address } = await claimDirectory(directory, store, protocol.server);
let stop = async () => {};

if (owner) {
  const engine = createEngine(store);
  protocol.serve(engine);
  let closing = false;
  const tidyUp = async () => {
    try {
      engine.cursors.sweep();
      store.forgetDeadReaders();
      await removeExpired(engine, () => closing);
    } catch (error) {
      // An exception here would end the thread and the database.
      post({ type: 'warning', message: `tidying up failed: ${String(error)}` });
    }
  };
  let tidying: Promise<void> | undefined;
  const timer = setInterval(() => {
    tidying ??= tidyUp().finally(() => {
      tidying = undefined;
    });
  }, ttlSeconds * 1000);
  stop = async () => {
    closing = true;
    clearInterval(timer);
    // No writes may follow the release of the address.
    await tidying;
    await protocol.close();
    engine.cursors.sweep(true);
  };
}

parentPort?.once('message', () => {
  stop()
    .then(() => store.close())
    .catch((error: unknown) => post({ type: 'warning', message: `closing failed: ${String(error)}` }))
    // An open address or store would keep the thread, and who closes it, waiting.
    .finally(() => parentPort?.close());
});
if (!owner) await store.close();
post({ type: 'ready', owner, address });
