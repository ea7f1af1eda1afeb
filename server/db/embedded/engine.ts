import type { Doc } from './bson-codec.ts';
import { Catalog } from './catalog.ts';
import { Documents } from './documents.ts';
import { CommandError } from './errors.ts';
import { FullDiskError, type Store } from './store.ts';

/** Dependencies of commands. */
export interface Engine {
  store: Store;
  catalog: Catalog;
  documents: Documents;
  commits: CommitQueue;
  cursors: Cursors;
}

/** Implementation of a command; a Buffer is a reply in BSON. */
export type CommandHandler = (engine: Engine, command: Doc, name: string) => Doc | Buffer | Promise<Doc | Buffer>;

/** Creates the engine over an open store. */
export function createEngine(store: Store): Engine {
  const catalog = new Catalog(store);
  const documents = new Documents(store, catalog);
  return { store, catalog, documents, commits: createCommitQueue(store, catalog), cursors: createCursors() };
}

interface Queued {
  run: () => unknown;
  frees: boolean;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/** Group commit: all writes queued in one turn of the event loop share one transaction and one fsync. */
type CommitQueue = ReturnType<typeof createCommitQueue>;

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

/** Most bytes of a batch, below the 48 MB limit of a message. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
const FIRST_BATCH_DOCUMENTS = 101;
const IDLE_MS = 10 * 60 * 1000;

/** A batch of results and the id of the cursor with the rest. */
interface Batch {
  id: bigint;
  batch: Buffer[];
}

interface OpenCursor {
  ns: string;
  results: Iterator<Buffer>;
  next: IteratorResult<Buffer>;
  usedAt: number;
}

/** Cursors with results for getMore. */
type Cursors = ReturnType<typeof createCursors>;

/** Creates the cursors of a server; they live in memory only. */
function createCursors() {
  const open = new Map<bigint, OpenCursor>();
  let lastId = BigInt(Date.now()) * 1000n;

  function take(cursor: OpenCursor, batchSize: number): Buffer[] {
    const batch: Buffer[] = [];
    let bytes = 0;
    while (!cursor.next.done && batch.length < batchSize) {
      bytes += cursor.next.value.length;
      if (batch.length > 0 && bytes > MAX_BATCH_BYTES) break;
      batch.push(cursor.next.value);
      cursor.next = cursor.results.next();
    }
    return batch;
  }

  function kill(id: bigint): boolean {
    open.get(id)?.results.return?.();
    return open.delete(id);
  }

  return {
    /** Returns the first batch and keeps the rest under an id; id 0: there is no rest. */
    open(ns: string, results: Iterator<Buffer>, batchSize = FIRST_BATCH_DOCUMENTS, singleBatch = false): Batch {
      const cursor: OpenCursor = { ns, results, next: results.next(), usedAt: performance.now() };
      const batch = take(cursor, batchSize);
      if (cursor.next.done || singleBatch) {
        results.return?.();
        return { id: 0n, batch };
      }
      const id = ++lastId;
      open.set(id, cursor);
      return { id, batch };
    },
    /** Returns the next batch. @throws CommandError 43 if the cursor does not exist */
    more(id: bigint, batchSize?: number): Batch & { ns: string } {
      const cursor = open.get(id);
      if (!cursor) throw new CommandError(43, `cursor id ${id} not found`);
      cursor.usedAt = performance.now();
      const batch = take(cursor, batchSize || Number.POSITIVE_INFINITY);
      if (cursor.next.done) open.delete(id);
      return { id: cursor.next.done ? 0n : id, batch, ns: cursor.ns };
    },
    kill,
    /** Closes cursors that were idle for ten minutes, or all of them. */
    sweep(all = false): void {
      for (const [id, { usedAt }] of open) if (all || performance.now() - usedAt > IDLE_MS) kill(id);
    },
  };
}
