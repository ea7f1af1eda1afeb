/**
 * Shares one running call per key between all callers that ask for the key meanwhile. A settled call is forgotten, so
 * that the next caller starts a new one.
 */
export function singleFlight<K, T>(): (key: K, call: () => Promise<T>) => Promise<T> {
  const running = new Map<K, Promise<T>>();
  return (key, call) => {
    const known = running.get(key);
    if (known) return known;
    const started = call().finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
}

/**
 * Waits for `work` until the signal aborts. The work itself continues; its later outcome is ignored. Leaves no listener
 * on the signal.
 * @throws the signal's reason, or the error of `work`
 */
export async function withAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    // The abort comes first: an aborted signal wins over work that has settled already.
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
