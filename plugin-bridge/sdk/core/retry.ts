import { ApiError, ConnectionError } from '../errors.ts';

/** Tries of a request, with the first. */
const TRIES = 3;
/** Tries if the service works on the job and only the response is lost. */
const TRIES_IN_PROGRESS = 10;
const LONGEST_DELAY_MS = 15_000;
/** Longest `Retry-After` that is waited for, in milliseconds; after a longer one the error is thrown. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** A failed try. */
export interface Failure {
  error: unknown;
  /** Failures in a row, 1 or more. */
  failures: number;
  /** Wait before the second try, in milliseconds; doubles from try to try. */
  baseMs: number;
  /** True for a job's stream: a proxy may hold it back until it is complete, so that a timeout is worth more tries. */
  stream?: boolean | undefined;
  /** True if the service is known to work on the job. */
  inProgress?: boolean | undefined;
}

/** Returns the wait before the next try, in milliseconds; undefined if the error is final. */
export function delayBeforeRetry({ error, failures, baseMs, stream, inProgress }: Failure): number | undefined {
  if (!isTransient(error)) return undefined;
  const tries = inProgress || isDuplicateInProgress(error) || (stream && isSlow(error)) ? TRIES_IN_PROGRESS : TRIES;
  if (failures >= tries) return undefined;
  const requestedMs = error instanceof ApiError ? error.retryAfterMs : undefined;
  if (requestedMs !== undefined)
    return requestedMs > LONGEST_RETRY_AFTER_MS ? undefined : requestedMs + Math.random() * baseMs;
  return Math.min(LONGEST_DELAY_MS, baseMs * 2 ** (failures - 1)) * (0.75 + Math.random() / 2);
}

/** Waits for `ms` milliseconds. @throws ConnectionError `aborted` */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new ConnectionError('aborted', signal?.reason));
    };
    if (signal?.aborted) return stop();
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Tests whether the same request may succeed now. */
function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.retryable;
  if (!(error instanceof ApiError)) return false;
  // 408: the body did not arrive, so nothing was done. 502, 504: a gateway, or the proxy of a CMS, cannot reach the service.
  return [408, 429, 502, 503, 504].includes(error.status) || isDuplicateInProgress(error);
}

/** Tests whether the service works on an earlier request with the same key. */
function isDuplicateInProgress(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'idempotency_in_progress';
}

function isSlow(error: unknown): boolean {
  return error instanceof ApiError ? error.status === 504 : (error as ConnectionError).code === 'timeout';
}
