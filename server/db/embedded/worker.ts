import { parentPort, workerData } from 'node:worker_threads';
import { createEngine } from './engine.ts';
import { removeExpired } from './expiry.ts';
import { claimDirectory, makePrivateDirectory } from './ownership.ts';
import { createProtocolServer } from './server.ts';
import { openStore } from './store.ts';

/** What the worker tells the thread that started it. */
export type WorkerMessage = { type: 'ready'; owner: boolean; address: string } | { type: 'warning'; message: string };

const { directory, ttlSeconds } = workerData as { directory: string; ttlSeconds: number };
const tell = (message: WorkerMessage) => parentPort?.postMessage(message);

makePrivateDirectory(directory);
const store = openStore(directory);
const protocol = createProtocolServer();
const { owner, address } = await claimDirectory(directory, store, protocol.server);
let stop = async () => {};

if (owner) {
  const engine = createEngine(store);
  protocol.serve(engine);
  const timer = setInterval(async () => {
    try {
      engine.cursors.sweep();
      store.forgetDeadReaders();
      await removeExpired(engine);
    } catch (error) {
      // Thrown in here, it would end the thread and the database with it.
      tell({ type: 'warning', message: `tidying up failed: ${String(error)}` });
    }
  }, ttlSeconds * 1000);
  stop = async () => {
    clearInterval(timer);
    await protocol.close();
    engine.cursors.sweep(true);
    await engine.commits.write(() => undefined);
  };
}

parentPort?.once('message', async () => {
  await stop();
  await store.close();
  parentPort?.close();
});
if (!owner) await store.close();
tell({ type: 'ready', owner, address });
