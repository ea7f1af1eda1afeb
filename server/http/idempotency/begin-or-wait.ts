import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';

/** Longest wait for a concurrent duplicate, in milliseconds. */
const DUPLICATE_WAIT_MS = 3000;
const DUPLICATE_POLL_MS = 25;

/**
 * Begins a request under its `Idempotency-Key`. While a concurrent duplicate is running, waits up to three seconds for its
 * outcome, so that duplicates sent at once get the same response.
 * @throws idempotency_in_progress when the duplicate takes longer; any other error of `begin`
 */
export async function beginOrWait<T>(begin: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + DUPLICATE_WAIT_MS;
  for (;;) {
    try {
      return await begin();
    } catch (error) {
      const duplicateIsRunning = error instanceof AppError && error.code === 'idempotency_in_progress';
      if (!duplicateIsRunning || performance.now() > deadline) throw error;
      await sleep(DUPLICATE_POLL_MS);
    }
  }
}
