import type { Context } from 'koa';
import { backOff, withRetries } from '../concurrency.ts';
import { AppError, isDatabaseAway } from '../errors.ts';
import { type Caller, newWork, type Work } from '../gateway/index.ts';
import type { Services } from './handlers.ts';

/** A plain response, stored under an `Idempotency-Key`. */
interface PlainResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

interface OnceInput {
  ctx: Context;
  account: Caller;
  operation: string;
  /** Hash of the request; the same key with another hash is refused. */
  requestHash: string;
  /**
   * State of the key after a failure of the service. `free`: it can be used for any request, since the work undoes itself;
   * but if the database did not respond, nobody knows what was written. `same-work`: for the same request alone, whose next
   * attempt continues what the failed one has begun.
   * @default free
   */
  afterFailure?: 'free' | 'same-work';
}

/**
 * Does the work of a request once per `Idempotency-Key` and sends its response to every repetition. Without the
 * header the work is done each time. Failures are not stored. A concurrent duplicate waits for the outcome.
 * @param work is told which attempt it is: a failure or the end of the process may come after any of its writes
 * @throws invalid_idempotency_key, idempotency_mismatch, idempotency_in_progress
 */
export async function runOnce(
  { ctx, account, operation, requestHash, afterFailure = 'free' }: OnceInput,
  services: Services,
  work: (work: Work) => Promise<PlainResponse>,
): Promise<void> {
  const { idempotency } = services.gateway;
  const key = ctx.req.headers['idempotency-key'];
  if (typeof key !== 'string') return respond(ctx, await work(newWork()));
  const request = { accountId: account.id, scope: account.idempotencyScope, key, operation, requestHash };
  const begun = await beginOrWait(() => idempotency.begin(request));
  if (begun.outcome === 'replay') return respond(ctx, begun.response);
  if (begun.outcome === 'join') throw new TypeError(`${operation} has no job to join`);
  try {
    const done = await work(begun.work);
    await idempotency.complete(begun.ticket, done);
    respond(ctx, done);
  } catch (error) {
    const free = error instanceof AppError || (afterFailure === 'free' && !isDatabaseAway(error));
    await (free ? idempotency.abandon : idempotency.release)(begun.ticket).catch(() => {});
    throw error;
  }
}

function respond(ctx: Context, { status, headers, body }: PlainResponse): void {
  ctx.status = status;
  ctx.set(headers);
  ctx.body = body;
}

/** Longest wait for a concurrent duplicate, in milliseconds: longer than an export without a job keeps its key. */
const DUPLICATE_WAIT_MS = 6000;
const POLLS = { firstMs: 25, factor: 1.5, mostMs: 250 };

/**
 * Begins a request under its `Idempotency-Key`. While a concurrent duplicate is running, waits up to six seconds for its
 * outcome, so that duplicates sent at once get the same response, and a repetition takes over what a server has left behind.
 * @throws idempotency_in_progress when the duplicate takes longer; any other error of `begin`
 */
export async function beginOrWait<T>(begin: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + DUPLICATE_WAIT_MS;
  return await withRetries(begin, (error, failures) => {
    const duplicateIsRunning = error instanceof AppError && error.code === 'idempotency_in_progress';
    return duplicateIsRunning && performance.now() <= deadline ? backOff(failures, POLLS) : undefined;
  });
}
