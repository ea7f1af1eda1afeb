import type { Doc } from './bson-codec.ts';

const NAMES: Record<number, string> = {
  2: 'BadValue',
  9: 'FailedToParse',
  14: 'TypeMismatch',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  52: 'DollarPrefixedFieldName',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  115: 'CommandNotSupported',
  171: 'CannotIndexParallelArrays',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  14031: 'OutOfDiskSpace',
  17280: 'KeyTooLong',
};

/** An error that is the client's to see, with MongoDB's error code. */
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

/** The error for everything outside the subset; it is thrown, never swallowed. */
export function notSupported(what: string): CommandError {
  return new CommandError(115, `${what} is not supported by the embedded store`);
}

/** Any thrown value as the fields of an error reply or of one writeErrors item. */
export function describeError(error: unknown): { code: number; codeName: string; errmsg: string } & Doc {
  if (error instanceof CommandError) {
    const codeName = NAMES[error.code] ?? `Location${error.code}`;
    return { code: error.code, codeName, errmsg: error.message, ...error.details };
  }
  const errmsg = error instanceof Error ? error.message : String(error);
  const full = /No space left|MDB_MAP_FULL|ENOSPC/i.test(errmsg);
  const code = full ? 14031 : 8;
  return { code, codeName: NAMES[code] ?? 'UnknownError', errmsg };
}
