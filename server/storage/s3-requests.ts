import { setTimeout as sleep } from 'node:timers/promises';
import { StoreAwayError } from '../errors.ts';

/** Waits between attempts, in milliseconds. Jobs that meet a longer outage wait for its end themselves. */
const WAITS_MS = [100, 300, 900];
/** Time until the response begins, in milliseconds, beside that of the body. */
const RESPONSE_MS = 15_000;
/** Slowest upload that is waited for, in bytes per millisecond. */
const SLOWEST_BYTES_PER_MS = 100;

/** The fields of an error of the S3 client or of `fetch`. */
interface Failure {
  status?: number;
  cause?: unknown;
  message?: string;
}

/** Sends a request with a time limit until the response begins; a streamed body needs `duplex`. */
export const timedFetch: typeof fetch = async (input, init = {}) => {
  const length = Number((init.headers as Record<string, string> | undefined)?.['content-length'] ?? 0);
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new StoreAwayError('the store did not respond in time')),
    RESPONSE_MS + length / SLOWEST_BYTES_PER_MS,
  );
  try {
    return await fetch(input, { ...init, signal: limit.signal, duplex: 'half' } as RequestInit);
  } finally {
    clearTimeout(timer);
  }
};

/** Repeats a request that may be repeated. @throws StoreAwayError if the store does not respond; other refusals as they are */
export async function patiently<T>(request: () => Promise<T>): Promise<T> {
  for (const wait of [...WAITS_MS, null]) {
    try {
      return await request();
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (wait === null) throw new StoreAwayError('the store of files does not respond', { cause: error });
      await sleep(wait);
    }
  }
  throw new Error('unreachable');
}

/** Returns true for the refusal of a file that does not exist. */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404;
}

/** A refusal has a status; without one the request failed on its way. */
function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== undefined) return status >= 500 || status === 429 || status === 408;
  // A disk that is full, or a source that is missing, is a failure of this server.
  return !hasErrno(error);
}

function statusOf(error: unknown): number | undefined {
  for (let at = error as Failure | undefined; at; at = at.cause as Failure | undefined)
    if (typeof at.status === 'number') return at.status;
  return undefined;
}

const OWN_ERRNO = new Set(['ENOENT', 'ENOSPC', 'EDQUOT', 'EACCES', 'EIO', 'EMFILE', 'EROFS']);

function hasErrno(error: unknown): boolean {
  for (let at = error as { code?: string; cause?: unknown } | undefined; at; at = at.cause as typeof at)
    if (OWN_ERRNO.has(at.code ?? '')) return true;
  return false;
}
