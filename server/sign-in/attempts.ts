import { AppError } from '../errors.ts';

/** Limit for one key, e.g. failed sign-ins from one address. */
export interface AttemptLimit {
  key: string;
  limit: number;
}

/** Counter of attempts. */
export interface Attempts {
  /**
   * Counts an attempt before it is made, so that simultaneous attempts all count. A rejected attempt is not counted and
   * opens no window, so a flood of them cannot displace the windows of others.
   * @returns a function that takes the attempt back if it was legitimate
   * @throws AppError too_many_attempts
   */
  take(limits: AttemptLimit[]): (() => void) | Promise<() => void>;
  /** Resets the count of a key. */
  forget(key: string): void;
}

/** Most windows kept in memory; the oldest are dropped first. */
const MOST_WINDOWS = 50_000;

interface Window {
  startedAt: number;
  attempts: number;
}

/**
 * Creates a counter of attempts in windows of a fixed length. Attempts do not extend a window, so no user can be locked
 * out for ever. The counts are those of this process, measured by a monotonic clock.
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

    forget(key: string): void {
      windows.delete(key);
    },
  };
}

/** Returns the refusal of an attempt. */
export function tooMany(waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError('too_many_attempts', `Too many attempts; try again in ${seconds} seconds`, {
    headers: { 'Retry-After': String(seconds) },
  });
}
