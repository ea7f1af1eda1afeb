import type { Doc } from './bson-codec.ts';

const DUPLICATE_KEY = 11000;
const OUT_OF_DISK_SPACE = 14031;
const INVALID_BSON = 22;
const FILE_STREAM_FAILED = 39;
const UNKNOWN = 8;

/** Messages of LMDB and of the system, and the codes that clients know them by. */
const FAULTS: [RegExp, number][] = [
  [/No space left|MDB_MAP_FULL/, OUT_OF_DISK_SPACE],
  [
    /Read-only file system|Input\/output error|Permission denied|Operation not permitted|Stale file handle/,
    FILE_STREAM_FAILED,
  ],
];

/** An error that is reported to the client, with MongoDB's error code. */
export class CommandError extends Error {
  readonly code: number;
  /** Further reply fields, as keyPattern and keyValue of a duplicate key. */
  readonly details: Doc;

  constructor(code: number, message: string, details: Doc = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** Creates the error for features outside the subset. */
export function notSupported(what: string): CommandError {
  return new CommandError(115, `${what} is not supported by the embedded store`);
}

/** Converts a thrown value to the fields of an error reply or of a writeErrors item. */
export function describeError(error: unknown): { code: number; codeName: string; errmsg: string } & Doc {
  const errmsg = error instanceof Error ? error.message : String(error);
  if (!(error instanceof CommandError)) {
    const isDamaged = error instanceof Error && error.name.startsWith('BSON');
    const code = isDamaged ? INVALID_BSON : (FAULTS.find(([pattern]) => pattern.test(errmsg))?.[1] ?? UNKNOWN);
    return { code, codeName: `Location${code}`, errmsg };
  }
  const codeName = error.code === DUPLICATE_KEY ? 'DuplicateKey' : `Location${error.code}`;
  return { code: error.code, codeName, errmsg, ...error.details };
}
