import { CommandError } from './errors.ts';

/** Most bytes of a batch, below the 48 MB limit of a message. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
const FIRST_BATCH_DOCUMENTS = 101;
const IDLE_MS = 10 * 60 * 1000;

/** A batch of results and the id of the cursor with the rest. */
export interface Batch {
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
export type Cursors = ReturnType<typeof createCursors>;

/** Creates the cursors of a server; they live in memory only. @param now monotonic clock, in milliseconds */
export function createCursors(now: () => number = () => performance.now()) {
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
      const cursor: OpenCursor = { ns, results, next: results.next(), usedAt: now() };
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
      cursor.usedAt = now();
      const batch = take(cursor, batchSize || Number.POSITIVE_INFINITY);
      if (cursor.next.done) open.delete(id);
      return { id: cursor.next.done ? 0n : id, batch, ns: cursor.ns };
    },
    kill,
    /** Closes cursors that were idle for ten minutes, or all of them. */
    sweep(all = false): void {
      for (const [id, { usedAt }] of open) if (all || now() - usedAt > IDLE_MS) kill(id);
    },
  };
}
