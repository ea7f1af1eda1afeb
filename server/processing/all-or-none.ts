/** Jobs of one piece of work; more may be added while one is running. */
export interface Gathering<T> {
  add(job: (signal: AbortSignal) => Promise<T>): void;
  /** What all of them returned, or the first failure, when the last one has ended. */
  all: Promise<T[]>;
}

/**
 * Runs jobs at once: when one fails the others are aborted and waited for.
 * @param signal aborts all of them
 */
export function createGathering<T>(signal: AbortSignal | undefined): Gathering<T> {
  const abort = new AbortController();
  const results: T[] = [];
  let running = 0;
  let failure: { reason: unknown } | undefined;
  let settle: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const onAbort = () => abort.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });

  async function follow(job: (signal: AbortSignal) => Promise<T>): Promise<void> {
    running += 1;
    try {
      abort.signal.throwIfAborted();
      results.push(await job(abort.signal));
    } catch (reason) {
      failure ??= { reason };
      abort.abort(reason);
    }
    running -= 1;
    if (running === 0) settle();
  }

  return {
    add: (job) => void follow(job),
    all: ended.then(() => {
      signal?.removeEventListener('abort', onAbort);
      if (failure) throw failure.reason;
      return results;
    }),
  };
}
