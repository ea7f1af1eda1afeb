import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';

/** Half-open range of keys, in byte order. */
export interface KeyRange {
  start: Buffer;
  end: Buffer;
}

/** LMDB's own limit is 1,978 bytes with 4 KB pages. */
export const MAX_KEY_BYTES = 1970;

/** What a commit may need beside what it writes, in bytes. */
const SPARE_BYTES = 256 * 1024;
/** What one write may copy: the pages from the root of the tree to a leaf. */
const PATH_BYTES = 4 * 4096;

const LOCK_FILE = 'lock.mdb';
const LOCK_BYTES = 3 * 4096;

/** Ordered binary keys and values on disk. */
export type Store = ReturnType<typeof openStore>;

/**
 * Opens the LMDB environment of a directory; several processes may hold it open.
 * @param freeBytes what is free on its disk
 * @throws Error with the code ENOSPC when there is no room for a new one
 */
export function openStore(directory: string, freeBytes: () => number = () => freeBytesAt(directory)) {
  let needed = 0;

  /**
   * LMDB (3.5.6) must not meet a full disk itself: it writes its message about it beyond the end of its buffer, of which the
   * whole process dies sooner or later. So a commit that may not fit is refused before.
   */
  function requireSpace(): void {
    if (needed === 0) return;
    const free = freeBytes();
    if (free >= needed + SPARE_BYTES) return;
    const message = `No space left on device: ${free} bytes are free, a write may need ${needed + SPARE_BYTES}`;
    throw Object.assign(new Error(message), { code: 'ENOSPC', path: directory });
  }

  // Its table of readers is mapped: without room for it, the first look at a new one is the end of the process.
  if (!existsSync(join(directory, LOCK_FILE))) {
    needed = LOCK_BYTES;
    requireSpace();
  }
  const database: RootDatabase<Buffer, Buffer> = open({
    path: directory,
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
    noSubdir: false,
  });
  return {
    get: (key: Buffer) => database.getBinary(key),
    put: (key: Buffer, value: Buffer): void => {
      needed += PATH_BYTES + 2 * value.length;
      database.putSync(key, value);
    },
    remove: (key: Buffer): void => {
      needed += PATH_BYTES;
      database.removeSync(key);
    },
    /** Lazy, on the snapshot of its first step; end it early with return(). */
    scan: ({ start, end }: KeyRange, reverse = false) =>
      reverse
        ? database.getRange({ start: end, end: start, reverse, inclusiveEnd: true, exclusiveStart: true } as object)
        : database.getRange({ start, end }),
    count: ({ start, end }: KeyRange) => database.getKeysCount({ start, end }),
    /** Runs writes as one unit; returns when they are on disk, or throws and leaves nothing of them. */
    transaction: <T>(writes: () => T): T =>
      database.transactionSync(() => {
        needed = 0;
        const result = writes();
        requireSpace();
        return result;
      }),
    /** Frees the snapshots of processes that ended without closing. */
    forgetDeadReaders: (): void => void database.readerCheck(),
    close: () => database.close(),
  };
}

function freeBytesAt(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
