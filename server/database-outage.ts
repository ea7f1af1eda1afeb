import { backOff, withRetries } from './concurrency.ts';
import { isDatabaseAway, StoreAwayError } from './errors.ts';

const WAITS = { firstMs: 200, mostMs: 2000 };

/**
 * Repeats work that may be repeated until database and files respond again, so that a running job waits instead of failing.
 * @throws what the work throws, unless it is an outage; the outage itself when the signal aborts meanwhile
 */
export function outlastOutage<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return withRetries(work, (error, failures) => {
    const isOutage = isDatabaseAway(error) || error instanceof StoreAwayError;
    return isOutage && !signal?.aborted ? backOff(failures, WAITS) : undefined;
  });
}
