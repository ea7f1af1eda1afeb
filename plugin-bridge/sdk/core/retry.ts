import { ApiError, ConnectionError } from '../errors.ts';

/** Tries of a request in all. */
const TRIES = 3;
/** Tries where the service is at work and only the answer does not get through. */
const PATIENT_TRIES = 10;
const LONGEST_DELAY_MS = 15_000;
/** Whoever is asked to wait for longer gets the error instead, in milliseconds. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** What {@link delayBeforeRetry} goes by. */
export interface Failure {
  error: unknown;
  /** How often it has failed in a row, 1 or more. */
  failures: number;
  /** Wait before the second try, in milliseconds; doubles from try to try. */
  baseMs: number;
  /** What fails is a job's stream: a proxy may hold it back until it is whole, and is asked again until it is. */
  stream?: boolean;
  /** The service is known to be at work on the job. */
  underWay?: boolean;
}

/** How long to wait before the next try, in milliseconds; undefined when there is to be none. */
export function delayBeforeRetry({ error, failures, baseMs, stream, underWay }: Failure): number | undefined {
  if (!isTransient(error)) return undefined;
  const tries = underWay || isTwinAtWork(error) || (stream && isSlow(error)) ? PATIENT_TRIES : TRIES;
  if (failures >= tries) return undefined;
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
  if (asked !== undefined) return asked > LONGEST_RETRY_AFTER_MS ? undefined : asked + Math.random() * baseMs;
  return Math.min(LONGEST_DELAY_MS, baseMs * 2 ** (failures - 1)) * (0.75 + Math.random() / 2);
}

/** Waits. @throws ConnectionError `aborted` */
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

/** Worth a repetition at once, without asking anybody. */
function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.retryable;
  if (!(error instanceof ApiError)) return false;
  const { status, code } = error;
  // A gateway that cannot reach the service says so in a page of its own.
  const fromGateway = code === 'bad_response' && (status === 502 || status === 504);
  return status === 429 || status === 503 || fromGateway || isTwinAtWork(error);
}

/** The request came through before, and the service is at it. */
function isTwinAtWork(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'idempotency_in_progress';
}

function isSlow(error: unknown): boolean {
  return error instanceof ApiError ? error.status === 504 : (error as ConnectionError).code === 'timeout';
}
