import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway, StoreAwayError } from './errors.ts';

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 2000;

/**
 * Repeats work that may be repeated until database and files respond again, so that a running job waits instead of failing.
 * @throws what the work throws, unless it is an outage; the outage itself when the signal aborts meanwhile
 */
export async function outlastOutage<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!(isDatabaseAway(error) || error instanceof StoreAwayError) || signal?.aborted) throw error;
      await sleep(wait, undefined, { signal }).catch(() => {});
    }
  }
}
