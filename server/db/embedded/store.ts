import { open, type RootDatabase } from 'lmdb';

/** Half-open range of keys, in byte order. */
export interface KeyRange {
  start: Buffer;
  end: Buffer;
}

/** LMDB's own limit is 1,978 bytes with 4 KB pages. */
export const MAX_KEY_BYTES = 1970;

/** Ordered binary keys and values on disk. */
export type Store = ReturnType<typeof openStore>;

/** Opens the LMDB environment of a directory; several processes may hold it open. */
export function openStore(directory: string) {
  const database: RootDatabase<Buffer, Buffer> = open({
    path: directory,
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
    noSubdir: false,
  });
  return {
    get: (key: Buffer) => database.getBinary(key),
    put: (key: Buffer, value: Buffer): void => database.putSync(key, value),
    remove: (key: Buffer): void => void database.removeSync(key),
    /** Lazy, on the snapshot of its first step; end it early with return(). */
    scan: ({ start, end }: KeyRange, reverse = false) =>
      reverse
        ? database.getRange({ start: end, end: start, reverse, inclusiveEnd: true, exclusiveStart: true } as object)
        : database.getRange({ start, end }),
    count: ({ start, end }: KeyRange) => database.getKeysCount({ start, end }),
    /** Runs writes as one unit; returns when they are on disk, or throws and leaves nothing of them. */
    transaction: <T>(writes: () => T): T => database.transactionSync(writes),
    /** Frees the snapshots of processes that ended without closing. */
    forgetDeadReaders: (): void => void database.readerCheck(),
    close: () => database.close(),
  };
}
