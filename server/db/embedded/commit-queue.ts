import type { Catalog } from './catalog.ts';
import { CommandError } from './errors.ts';
import type { Store } from './store.ts';

/** Group commit: all writes that wait when the loop turns share one transaction and one fsync. */
export interface CommitQueue {
  /** Runs a synchronous write; the promise settles when it is on disk, or rejects and nothing of it is. */
  write<T>(run: () => T): Promise<T>;
}

interface Queued {
  run: () => unknown;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/** Creates the queue of all writes to a store. */
export function createCommitQueue(store: Store, catalog: Catalog): CommitQueue {
  let queued: Queued[] = [];

  function commit(): void {
    const batch = queued;
    queued = [];
    const settlers: (() => void)[] = [];
    try {
      store.transaction(() => {
        for (const { run, resolve, reject } of batch) {
          try {
            const result = run() as never;
            settlers.push(() => resolve(result));
          } catch (error) {
            // A refused command wrote whole documents or none; any other error leaves the transaction in doubt.
            if (!(error instanceof CommandError)) throw error;
            settlers.push(() => reject(error));
          }
        }
      });
    } catch (error) {
      catalog.reload();
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const settle of settlers) settle();
  }

  return {
    write: (run) =>
      new Promise((resolve, reject) => {
        if (queued.push({ run, resolve, reject }) === 1) setImmediate(commit);
      }),
  };
}
