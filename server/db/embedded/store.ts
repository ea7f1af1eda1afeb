import { open, type RootDatabase } from 'lmdb';

/** Half-open range of keys, in byte order. */
export interface KeyRange {
  start: Buffer;
  end: Buffer;
}

/** LMDB's own limit is 1,978 bytes with 4 KB pages. */
export const MAX_KEY_BYTES = 1970;

/** Ordered binary keys and values on disk. */
export interface Store {
  get(key: Buffer): Buffer | undefined;
  put(key: Buffer, value: Buffer): void;
  remove(key: Buffer): void;
  /** Lazy, on the snapshot of its first step; end it early with return(). */
  scan(range: KeyRange, reverse?: boolean): Iterable<{ key: Buffer; value: Buffer }>;
  count(range: KeyRange): number;
  /** Runs writes as one unit; returns when they are on disk, or throws and leaves nothing of them. */
  transaction<T>(writes: () => T): T;
  close(): Promise<void>;
}

/** Opens the LMDB environment of a directory; several processes may hold it open. */
export function openStore(directory: string): Store {
  const database: RootDatabase<Buffer, Buffer> = open({
    path: directory,
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
    noSubdir: false,
    maxReaders: 512,
  } as Parameters<typeof open>[0]);
  return {
    get: (key) => database.getBinary(key),
    put: (key, value) => database.putSync(key, value),
    remove: (key) => void database.removeSync(key),
    scan: ({ start, end }, reverse = false) =>
      // lmdb reads backwards from start, exclusive of end.
      reverse
        ? database.getRange({ start: end, end: start, reverse, inclusiveEnd: true, exclusiveStart: true } as object)
        : database.getRange({ start, end }),
    count: ({ start, end }) => database.getKeysCount({ start, end }),
    transaction: (writes) => database.transactionSync(writes),
    close: () => database.close(),
  };
}
