import { ERROR_CATALOGUE, type ErrorCode } from '#contract';

interface AppErrorOptions {
  /** Extra fields of the JSON response, e.g. `{ limit: 5 }`. Public. */
  details?: Record<string, unknown>;
  /** Extra response headers, e.g. `{ 'Retry-After': '5' }`. */
  headers?: Record<string, string>;
  /** Original error. Logged, never sent. */
  cause?: unknown;
}

/** An error with a code of the catalogue and a message that may be shown to the caller. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;
  readonly headers: Record<string, string>;

  /** @param message public text: the field, the expected and the received value */
  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details ?? {};
    this.headers = options.headers ?? {};
  }

  /** HTTP status of the code in the catalogue. */
  get status(): number {
    return ERROR_CATALOGUE[this.code].status;
  }
}

/** Thrown when the service cannot start for a reason that an operator can change; the message names the setting. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Thrown if the service is not ready; the message says in public words what is missing. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
}

/** What an operator has to know of a store that refuses or does not answer; never the body of an answer, never a secret. */
export interface StoreTrouble {
  /** Cause, e.g. `wrong_secret`. */
  code: string;
  /** Names of the settings to look at. */
  settings: string;
  /** What came, in words. */
  came: string;
  /** What to do. */
  remedy: string;
}

/** Thrown if the store of files does not respond or refuses; what was asked of it may be repeated. */
export class StoreAwayError extends Error {
  override readonly name: string = 'StoreAwayError';
  readonly trouble: StoreTrouble | undefined;

  /** @param trouble known cause, whose line becomes the message */
  constructor(trouble: StoreTrouble | string, options?: ErrorOptions) {
    const isKnown = typeof trouble !== 'string';
    super(isKnown ? `${trouble.settings}: ${trouble.came}; ${trouble.remedy}` : trouble, options);
    this.trouble = isKnown ? trouble : undefined;
  }
}

/** Thrown if the store did not remove some files; the others are removed. */
export class RefusedRemovalError extends StoreAwayError {
  override readonly name: string = 'RefusedRemovalError';
  readonly keys: readonly string[];

  constructor(keys: readonly string[], cause: StoreAwayError) {
    super(cause.trouble ?? cause.message, { cause });
    this.keys = keys;
  }
}

/** Thrown if the store of files has no room; to callers it is a full disk. */
export class StoreFullError extends StoreAwayError {
  override readonly name: string = 'StoreFullError';
  readonly code = 'ENOSPC';
}

/** Thrown if the bytes of a stored file are not those that its record tells. */
export class DamagedFileError extends Error {
  override readonly name = 'DamagedFileError';

  /** @param key of the file in the store */
  constructor(key: string) {
    super(`the stored file ${key} is damaged: its bytes have another hash than when they were stored`);
  }
}

/** Public words for a {@link DamagedFileError}. */
const DAMAGED_FILE =
  'The stored file is damaged. Export or sample the image again with the same settings, which repairs it, or upload it again';

/** Challenge of every 401 (RFC 9110, 11.6.1). Browsers know no such scheme, so that they ask for no password. */
const CHALLENGE = { 'WWW-Authenticate': 'ApiKey realm="Imagewright"' };

/** The HTTP response of an error; all error responses have this shape. */
export interface WireError {
  status: number;
  headers: Record<string, string>;
  body: { error: string; code: ErrorCode; requestId: string } & Record<string, unknown>;
}

/** Maps any thrown value to its response; one that is not an {@link AppError} becomes `internal_error` without details, or 503/507. */
export function toWireError(thrown: unknown, requestId: string): WireError {
  const error = thrown instanceof AppError ? thrown : fromForeign(thrown);
  return {
    status: error.status,
    headers: { ...(error.status === 401 ? CHALLENGE : {}), ...error.headers },
    body: { error: error.message, code: error.code, requestId, ...error.details },
  };
}

/** MongoDB's code for a database whose disk is full. */
const DATABASE_DISK_FULL = 14031;

/** Recognises failures of the infrastructure, so that a full disk or an unreachable database is not a 500. */
function fromForeign(thrown: unknown): AppError {
  if (isDiskFull(thrown)) {
    const place = thrown instanceof StoreFullError ? 'store of files' : 'server';
    return new AppError('insufficient_storage', `The ${place} has no disk space left for this request`, {
      cause: thrown,
    });
  }
  if (thrown instanceof DamagedFileError) return new AppError('file_damaged', DAMAGED_FILE, { cause: thrown });
  if (isDamagedRecord(thrown)) {
    const message =
      'A stored record is damaged and cannot be read; the operator has to restore a backup, or you delete its session';
    return new AppError('record_damaged', message, { cause: thrown });
  }
  if (isUnwritable(thrown)) {
    return new AppError('storage_unavailable', 'The server cannot write or read its files at the moment', {
      cause: thrown,
      headers: { 'Retry-After': '10' },
    });
  }
  if (thrown instanceof StoreAwayError) {
    return new AppError('storage_unavailable', 'The store of files does not respond at the moment', {
      cause: thrown,
      headers: { 'Retry-After': '5' },
    });
  }
  if (isDatabaseAway(thrown)) {
    return new AppError('database_unavailable', 'The database does not respond at the moment', {
      cause: thrown,
      headers: { 'Retry-After': '5' },
    });
  }
  return new AppError('internal_error', 'Something went wrong on our side', { cause: thrown });
}

/** Returns true for an error that means a full disk, of the files or of the database. */
export function isDiskFull(thrown: unknown): boolean {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return code === 'ENOSPC' || code === 'EDQUOT' || code === DATABASE_DISK_FULL;
}

/** MongoDB's code for a document that cannot be read. */
const INVALID_BSON = 22;

/** Returns true for an error that means a stored document that cannot be read. */
export function isDamagedRecord(thrown: unknown): boolean {
  const { name = '', code } = (thrown ?? {}) as DatabaseError;
  return name.startsWith('BSON') || (name.startsWith('Mongo') && code === INVALID_BSON);
}

/** Codes of a file system that is read-only, faulty, lost, or closed to this user. */
const UNWRITABLE = new Set(['EROFS', 'EIO', 'EACCES', 'EPERM', 'ENODEV', 'ENXIO', 'ESTALE']);
/** MongoDB's code `FileStreamFailed`, which the embedded database gives for them. */
const DATABASE_UNWRITABLE = 39;
const NETWORK_CALLS = /^(connect|listen|bind|getaddrinfo|spawn|kill|read|write)$/;

/** Returns true for an error that means files or an embedded database that cannot be written; nothing was. */
export function isUnwritable(thrown: unknown): boolean {
  const { code, name = '', syscall = '', path } = (thrown ?? {}) as DatabaseError & { syscall?: string; path?: string };
  if (code === DATABASE_UNWRITABLE) return name.startsWith('Mongo');
  if (!UNWRITABLE.has(String(code))) return false;
  // Reads and writes of a socket have no path, but neither have those of an open file.
  return !NETWORK_CALLS.test(syscall) || path !== undefined || code === 'EIO' || code === 'EROFS';
}

/** Fields of a driver's error. */
interface DatabaseError {
  name?: string;
  code?: unknown;
  writeErrors?: unknown;
  errorLabelSet?: Set<string>;
}

/**
 * Returns true for an error that means an unreachable or changing database, or a write that a majority has not confirmed;
 * the outcome of the operation is unknown.
 */
export function isDatabaseAway(thrown: unknown): boolean {
  const { name = '', code, writeErrors, errorLabelSet } = (thrown ?? {}) as DatabaseError;
  // EPIPE: the driver does not wrap the error of a socket that the server has just closed.
  if (DATABASE_AWAY.has(name) || code === 'EPIPE') return true;
  if (name.startsWith('Mongo') && (DATABASE_AWAY_CODES.has(Number(code)) || errorLabelSet?.has('RetryableWriteError')))
    return true;
  // A bulk write wraps the loss of its connection; refusals of the server have a code, or are in `writeErrors`.
  if (name !== 'MongoBulkWriteError' || typeof code === 'number') return false;
  return Array.isArray(writeErrors) && writeErrors.length === 0;
}

const DATABASE_AWAY = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoNotConnectedError',
  'MongoWaitQueueTimeoutError',
  'MongooseServerSelectionError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoWriteConcernError',
]);

/**
 * MongoDB's codes of a member that is not the primary, steps down, shuts down, recovers or cannot reach the others.
 * Source: "Retryable Reads" and "Server Discovery and Monitoring" of MongoDB's driver specifications.
 */
const DATABASE_AWAY_CODES = new Set([6, 7, 64, 89, 91, 134, 189, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436]);
