import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';

/** Half-open range of keys, in byte order. */
export interface KeyRange {
  start: Buffer;
  end: Buffer;
}

/** LMDB's own limit is 1,978 bytes with 4 KB pages. */
export const MAX_KEY_BYTES = 1970;

/** Overhead of a commit, in bytes. */
const SPARE_BYTES = 256 * 1024;
/** Bytes that one write may copy: the pages from the root of the tree to a leaf. */
const PATH_BYTES = 4 * 4096;

const LOCK_FILE = 'lock.mdb';
const LOCK_BYTES = 3 * 4096;

/** The refusal of a write for which the disk has no space. */
export class FullDiskError extends Error {
  readonly code = 'ENOSPC';
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Ordered binary keys and values on disk. */
export type Store = ReturnType<typeof openStore>;

/**
 * Opens the LMDB environment of a directory; several processes may hold it open.
 * @param freeBytes free bytes on its disk
 * @throws Error with the code ENOSPC if there is no room for a new one
 */
export function openStore(directory: string, freeBytes: () => number = () => freeBytesAt(directory)) {
  let needed = 0;
  const reserve = createReserve(directory);

  /**
   * Refuses a commit that may not fit: on a full disk LMDB (3.5.6) writes its message beyond the end of a buffer, which
   * crashes the process. One that frees space gets the reserve.
   */
  function requireSpace(frees: boolean): void {
    if (needed === 0) return;
    const wanted = needed + SPARE_BYTES;
    const free = freeBytes();
    const kept = reserve.keep(free - wanted);
    if (free >= wanted + (frees ? 0 : kept)) return;
    if (frees) {
      reserve.give();
      if (freeBytes() >= wanted) return;
    }
    throw new FullDiskError(directory, `No space left on device: ${free} bytes are free, a write may need ${wanted}`);
  }

  // LMDB maps its table of readers: without disk space the first access crashes the process.
  if (!existsSync(join(directory, LOCK_FILE))) {
    needed = LOCK_BYTES;
    requireSpace(true);
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
    /** Iterates lazily over the snapshot of its first step; return() ends it early. */
    scan: ({ start, end }: KeyRange, reverse = false) =>
      reverse
        ? database.getRange({ start: end, end: start, reverse, inclusiveEnd: true, exclusiveStart: true } as object)
        : database.getRange({ start, end }),
    count: ({ start, end }: KeyRange) => database.getKeysCount({ start, end }),
    /**
     * Runs writes in one transaction; returns when they are on disk. Throws without any of them written.
     * @param frees true for writes that free more space than they need
     * @throws FullDiskError
     */
    transaction: <T>(writes: () => T, frees = false): T =>
      database.transactionSync(() => {
        needed = 0;
        const result = writes();
        requireSpace(frees);
        return result;
      }),
    /** Writes a compact snapshot into an existing empty directory, while others read and write. */
    snapshot: (to: string): Promise<void> => database.backup(to, true),
    /** Frees the snapshots of dead processes. */
    forgetDeadReaders: (): void => void database.readerCheck(),
    close: () => database.close(),
  };
}

function freeBytesAt(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** Bytes kept for removals: a write that removes ten documents needs less. */
export const RESERVE_BYTES = 2 * 1024 * 1024;
const FILE = 'reserve';

/** Space on the disk of a store that only writes get which free more than they need. */
interface Reserve {
  /** Takes the space again, if it is there. Returns the bytes that other writes have to leave: 0, or those of the reserve. */
  keep(freeBytes: number): number;
  /** Gives the space to a write; without effect while it is given away. */
  give(): void;
}

/** Keeps the reserve of a store in a file of its directory, so that nothing else on the disk can take its space. */
function createReserve(directory: string): Reserve {
  const file = join(directory, FILE);
  let isKept = existsSync(file);
  return {
    keep(freeBytes) {
      if (isKept) return 0;
      if (freeBytes < RESERVE_BYTES) return RESERVE_BYTES;
      try {
        // Random: a file system that compresses must not save the space.
        writeFileSync(file, randomBytes(RESERVE_BYTES), { mode: 0o600 });
        isKept = true;
      } catch {
        rmSync(file, { force: true });
      }
      return isKept ? 0 : RESERVE_BYTES;
    },

    give() {
      rmSync(file, { force: true });
      isKept = false;
    },
  };
}
