/** Handle of a running timer, as returned by `setTimeout`. */
export type Timer = unknown;

/** Browser functions that the state uses; each can be replaced. */
export interface Environment {
  /** Monotonic clock, in ms. */
  now(): number;
  setTimeout(task: () => void, ms: number): Timer;
  clearTimeout(timer: Timer): void;
  /** 0-1, for jitter. */
  random(): number;
  online: { isOnline(): boolean; subscribe(listener: () => void): () => void };
  /** Outlives a reload; null: nothing does. */
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null;
}

/** The environment of a browser page, or of Node as far as it has the parts. Nothing is touched before the first use. */
export function pageEnvironment(): Environment {
  return {
    now: () => performance.now(),
    setTimeout: (task, ms) => setTimeout(task, ms),
    clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
    random: Math.random,
    online: {
      isOnline: () => globalThis.navigator?.onLine !== false,
      subscribe(listener) {
        if (typeof globalThis.addEventListener !== 'function') return () => {};
        const names = ['online', 'offline'];
        for (const name of names) globalThis.addEventListener(name, listener);
        return () => {
          for (const name of names) globalThis.removeEventListener(name, listener);
        };
      },
    },
    storage: pageStorage(),
  };
}

function pageStorage(): Environment['storage'] {
  try {
    return globalThis.sessionStorage ?? null;
  } catch {
    // A sandboxed frame throws at the mere look.
    return null;
  }
}
