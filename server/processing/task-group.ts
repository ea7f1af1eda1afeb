/** Concurrent tasks that succeed or fail together; tasks can be added while one is running. */
export interface TaskGroup<T> {
  add(task: (signal: AbortSignal) => Promise<T>): void;
  /** Settles when the last task has ended: results in order of completion, or the first failure. */
  all: Promise<T[]>;
}

/**
 * Creates a group of concurrent tasks: if one fails, the others are aborted and awaited.
 * @param signal aborts all tasks
 */
export function createTaskGroup<T>(signal: AbortSignal | undefined): TaskGroup<T> {
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

  async function follow(task: (signal: AbortSignal) => Promise<T>): Promise<void> {
    running += 1;
    try {
      abort.signal.throwIfAborted();
      results.push(await task(abort.signal));
    } catch (reason) {
      failure ??= { reason };
      abort.abort(reason);
    }
    running -= 1;
    if (running === 0) settle();
  }

  return {
    add: (task) => void follow(task),
    all: ended.then(() => {
      signal?.removeEventListener('abort', onAbort);
      if (failure) throw failure.reason;
      return results;
    }),
  };
}
