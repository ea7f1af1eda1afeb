import type { Catalog } from './catalog.ts';
import { CommandError } from './errors.ts';
import type { Store } from './store.ts';

interface Queued {
  run: () => unknown;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/** Group commit: all writes that wait when the loop turns share one transaction and one fsync. */
export type CommitQueue = ReturnType<typeof createCommitQueue>;

/** Creates the queue of all writes to a store. */
export function createCommitQueue(store: Store, catalog: Catalog) {
  let queued: Queued[] = [];

  function commit(batch: Queued[]): void {
    const settlers: (() => void)[] = [];
    let allRan = false;
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
        allRan = true;
      });
    } catch (error) {
      catalog.reload();
      // Before the commit nothing is on disk: each write may try alone, so that only the faulty one fails.
      if (!allRan && batch.length > 1) for (const one of batch) commit([one]);
      else for (const { reject } of batch) reject(error);
      return;
    }
    for (const settle of settlers) settle();
  }

  return {
    /** Runs a synchronous write; the promise settles when it is on disk, or rejects and nothing of it is. */
    write: <T>(run: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        if (queued.push({ run, resolve, reject }) > 1) return;
        setImmediate(() => {
          const batch = queued;
          queued = [];
          commit(batch);
        });
      }),
  };
}
