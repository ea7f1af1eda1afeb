import { CommandError } from './errors.ts';

/** Documents of a reply's batch stop at this many bytes, below the 48 MB a message may have. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
const FIRST_BATCH_DOCUMENTS = 101;
const IDLE_MS = 10 * 60 * 1000;

/** Some results and the cursor that has the others. */
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

/** Results that wait for getMore. */
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
    /** Takes the first batch and keeps the rest under an id; id 0 means there is no rest. */
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
    /** @throws CommandError 43 when the cursor is not there (any more) */
    more(id: bigint, batchSize?: number): Batch & { ns: string } {
      const cursor = open.get(id);
      if (!cursor) throw new CommandError(43, `cursor id ${id} not found`);
      cursor.usedAt = now();
      const batch = take(cursor, batchSize || Number.POSITIVE_INFINITY);
      if (cursor.next.done) open.delete(id);
      return { id: cursor.next.done ? 0n : id, batch, ns: cursor.ns };
    },
    kill,
    /** Ends the cursors that nobody asked for within ten minutes, or all of them. */
    sweep(all = false): void {
      for (const [id, { usedAt }] of open) if (all || now() - usedAt > IDLE_MS) kill(id);
    },
  };
}
