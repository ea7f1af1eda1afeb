import { AppError } from '../errors.ts';

/** A limit on one thing that is counted, e.g. failed log-ins from one address. */
export interface AttemptLimit {
  key: string;
  limit: number;
}

/** Windows that are kept; beyond that the oldest go. */
const MOST_WINDOWS = 50_000;

interface Window {
  startedAt: number;
  attempts: number;
}

/**
 * Makes what counts attempts in windows of a fixed length. A window ends by itself, whatever is tried during it, so that
 * nobody can lock somebody else out for ever. Each process counts for itself.
 */
export function createAttempts({ windowMs, now }: { windowMs: number; now: () => Date }) {
  const windows = new Map<string, Window>();

  function windowOf(key: string, at: number): Window {
    const running = windows.get(key);
    if (running && at < running.startedAt + windowMs && at >= running.startedAt) return running;
    windows.delete(key);
    const fresh = { startedAt: at, attempts: 0 };
    windows.set(key, fresh);
    if (windows.size > MOST_WINDOWS)
      for (const oldest of windows.keys()) {
        windows.delete(oldest);
        if (windows.size <= MOST_WINDOWS) break;
      }
    return fresh;
  }

  return {
    /**
     * Counts an attempt before it is made, so that a hundred at once count as a hundred.
     * @returns what takes it back, when it turns out to have been rightful
     * @throws AppError too_many_attempts, without counting
     */
    take(limits: AttemptLimit[]): () => void {
      const at = now().getTime();
      const taken = limits.map(({ key, limit }) => ({ window: windowOf(key, at), limit }));
      const full = taken.filter(({ window, limit }) => window.attempts >= limit);
      if (full.length > 0) throw tooMany(Math.max(...full.map(({ window }) => window.startedAt)) + windowMs - at);
      for (const { window } of taken) window.attempts += 1;
      return () => {
        for (const { window } of taken) window.attempts = Math.max(0, window.attempts - 1);
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
