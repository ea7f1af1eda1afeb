import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';

/** Longest wait for a concurrent duplicate, in milliseconds: longer than an export without a job keeps its key. */
const DUPLICATE_WAIT_MS = 6000;
const FIRST_POLL_MS = 25;
const LONGEST_POLL_MS = 250;

/**
 * Begins a request under its `Idempotency-Key`. While a concurrent duplicate is running, waits up to six seconds for its
 * outcome, so that duplicates sent at once get the same response, and a repetition takes over what a server has left behind.
 * @throws idempotency_in_progress when the duplicate takes longer; any other error of `begin`
 */
export async function beginOrWait<T>(begin: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + DUPLICATE_WAIT_MS;
  for (let wait = FIRST_POLL_MS; ; wait = Math.min(wait * 1.5, LONGEST_POLL_MS)) {
    try {
      return await begin();
    } catch (error) {
      const duplicateIsRunning = error instanceof AppError && error.code === 'idempotency_in_progress';
      if (!duplicateIsRunning || performance.now() > deadline) throw error;
      await sleep(wait);
    }
  }
}
