import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';

/** How long a request waits for its twin to have got somewhere, in milliseconds. */
const TWIN_WAIT_MS = 3000;
const TWIN_POLL_MS = 25;

/**
 * Begins a request under its `Idempotency-Key`. While a twin with the same key is at it, it waits a moment for the twin's
 * outcome: two that were sent at once get the same answer.
 * @throws idempotency_in_progress when the twin takes longer; or whatever else `begin` throws
 */
export async function beginAfterTwin<T>(begin: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + TWIN_WAIT_MS;
  for (;;) {
    try {
      return await begin();
    } catch (error) {
      const twinIsAtIt = error instanceof AppError && error.code === 'idempotency_in_progress';
      if (!twinIsAtIt || performance.now() > deadline) throw error;
      await sleep(TWIN_POLL_MS);
    }
  }
}
