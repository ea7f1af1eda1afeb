import { makePrivateDirectory } from './ownership.ts';
import { openStore } from './store.ts';

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
