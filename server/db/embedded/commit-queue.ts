import type { Catalog } from './catalog.ts';
import { CommandError } from './errors.ts';
import { FullDiskError, type Store } from './store.ts';

interface Queued {
  run: () => unknown;
  frees: boolean;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/** Group commit: all writes queued in one turn of the event loop share one transaction and one fsync. */
export type CommitQueue = ReturnType<typeof createCommitQueue>;

/** Creates the write queue of a store. */
export function createCommitQueue(store: Store, catalog: Catalog) {
  let queued: Queued[] = [];

  function commit(batch: Queued[]): void {
    const settlers: (() => void)[] = [];
    let allRan = false;
    try {
      store.transaction(
        () => {
          for (const { run, resolve, reject } of batch) {
            try {
              const result = run() as never;
              settlers.push(() => resolve(result));
            } catch (error) {
              // A CommandError leaves whole documents or none; after any other error the transaction is aborted.
              if (!(error instanceof CommandError)) throw error;
              settlers.push(() => reject(error));
            }
          }
          allRan = true;
        },
        batch.every(({ frees }) => frees),
      );
    } catch (error) {
      catalog.reload();
      // Nothing is on disk before the commit, so each write is retried alone and only the faulty one fails.
      const isRefused = !allRan || error instanceof FullDiskError;
      if (isRefused && batch.length > 1) for (const one of batch) commit([one]);
      else for (const { reject } of batch) reject(error);
      return;
    }
    for (const settle of settlers) settle();
  }

  return {
    /**
     * Runs a synchronous write. Resolves when it is on disk; on rejection nothing was written.
     * @param frees true for a write that removes or changes documents and adds none: it succeeds on a full disk
     */
    write: <T>(run: () => T, frees = false): Promise<T> =>
      new Promise((resolve, reject) => {
        if (queued.push({ run, frees, resolve, reject }) > 1) return;
        setImmediate(() => {
          const batch = queued;
          queued = [];
          commit(batch);
        });
      }),
  };
}
