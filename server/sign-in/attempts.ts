import { AppError } from '../errors.ts';

/** A limit on one thing that is counted, e.g. failed log-ins from one address. */
export interface AttemptLimit {
  key: string;
  limit: number;
}

/** Windows that are kept; beyond that the oldest go, which are those that have ended, if any has. */
const MOST_WINDOWS = 50_000;

interface Window {
  startedAt: number;
  attempts: number;
}

/**
 * Makes what counts attempts in windows of a fixed length. A window ends by itself, whatever is tried during it, so that
 * nobody can lock somebody else out for ever. Each process counts for itself, by a monotonic clock.
 */
export function createAttempts({ windowMs, monotonicNow }: { windowMs: number; monotonicNow: () => number }) {
  const windows = new Map<string, Window>();

  function running(key: string, at: number): Window | undefined {
    const window = windows.get(key);
    return window && at < window.startedAt + windowMs ? window : undefined;
  }

  function begin(key: string, at: number): Window {
    windows.delete(key);
    const fresh = { startedAt: at, attempts: 0 };
    windows.set(key, fresh);
    if (windows.size > MOST_WINDOWS) {
      const [oldest = ''] = windows.keys();
      windows.delete(oldest);
    }
    return fresh;
  }

  return {
    /**
     * Counts an attempt before it is made, so that a hundred at once count as a hundred. One that is refused leaves no
     * trace: whoever makes many of those cannot have the windows of others forgotten.
     * @returns what takes it back, when it turns out to have been rightful
     * @throws AppError too_many_attempts, without counting
     */
    take(limits: AttemptLimit[]): () => void {
      const at = monotonicNow();
      const full = limits.flatMap(({ key, limit }) => {
        const window = running(key, at);
        return window && window.attempts >= limit ? [window.startedAt] : [];
      });
      if (full.length > 0) throw tooMany(Math.max(...full) + windowMs - at);
      const taken = limits.map(({ key }) => ({ key, window: running(key, at) ?? begin(key, at) }));
      for (const { window } of taken) window.attempts += 1;
      return () => {
        for (const { key, window } of taken) {
          window.attempts = Math.max(0, window.attempts - 1);
          if (window.attempts === 0 && windows.get(key) === window) windows.delete(key);
        }
      };
    },

    /** Forgets what was counted under a key. */
    forget(key: string): void {
      windows.delete(key);
    },
  };
}

/** What counts attempts. */
export type Attempts = ReturnType<typeof createAttempts>;

function tooMany(waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError('too_many_attempts', `Too many attempts; try again in ${seconds} seconds`, {
    headers: { 'Retry-After': String(seconds) },
  });
}
