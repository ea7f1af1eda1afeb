import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from './patience.ts';

const AGAIN_MS = 500;

/**
 * Sends a request with an `Idempotency-Key` again, as clients do, as long as the answer is 409: an equal request takes longer
 * than the service waits for it. Returns the first other answer, or the last one when time is up.
 */
export async function untilAnswered<T extends { status: number }>(send: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await send();
    if (answer.status !== 409 || performance.now() > deadline) return answer;
    await sleep(AGAIN_MS);
  }
}
