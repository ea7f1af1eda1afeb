import type { Budget } from '../budgets/index.ts';

/** Semaphore: admits a fixed number of callers at once. Of the others, accounts take turns, those of one in order of arrival. */
export interface Gate {
  /** Resolves with the function that releases the place. Rejects with the signal's reason if that aborts first. */
  enter(account: string, signal: AbortSignal): Promise<() => void>;
}

/** Creates a semaphore with `places` places. */
export function createGate(places: number): Gate {
  /** By account; whose turn was is moved to the end. */
  const waiting = new Map<string, Set<() => void>>();
  let free = places;

  function admitNext(): void {
    const [next] = waiting;
    if (!next) return;
    const [account, queue] = next;
    const [come] = queue;
    waiting.delete(account);
    if (come) queue.delete(come);
    if (queue.size > 0) waiting.set(account, queue);
    come?.();
  }

  function leaveOnce(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      free += 1;
      admitNext();
    };
  }

  return {
    async enter(account, signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return leaveOnce();
      }
      await new Promise<void>((resolve, reject) => {
        const queue = waiting.get(account) ?? new Set();
        const come = () => {
          signal.removeEventListener('abort', giveUp);
          free -= 1;
          resolve();
        };
        const giveUp = () => {
          queue.delete(come);
          if (queue.size === 0) waiting.delete(account);
          reject(signal.reason);
        };
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.set(account, queue.add(come));
      });
      return leaveOnce();
    },
  };
}

/** Circuit breaker: refuses calls to a service that keeps failing. */
export interface Breaker {
  /** Admits a call; null while the breaker is open. After that it admits one probe at a time. */
  admit(): Admission | null;
  isOpen(): boolean;
  /** True from as many failures in a row as open it until a success. */
  hasFailed(): boolean;
}

/** One admitted call; only the first report counts. */
export interface Admission {
  succeeded(): void;
  failed(): void;
  /** Ends a call that says nothing about the service, e.g. an aborted one. */
  undecided(): void;
}

const FAILURES = 5;
const REST_MS = 30_000;

/** Creates a breaker that opens for 30 s after 5 failures in a row. @param now milliseconds */
export function createBreaker(now: () => number): Breaker {
  let failures = 0;
  let openUntil = 0;
  /** The call whose outcome closes or reopens the breaker. */
  let probe: Admission | null = null;

  function admission(): Admission {
    let ended = false;
    const end = (count: () => void) => () => {
      if (ended) return;
      ended = true;
      // Calls that started before the breaker opened do not count.
      if (failures >= FAILURES && probe !== self) return;
      if (probe === self) probe = null;
      count();
    };
    const self: Admission = {
      succeeded: end(() => {
        failures = 0;
      }),
      failed: end(() => {
        failures += 1;
        if (failures >= FAILURES) openUntil = now() + REST_MS;
      }),
      undecided: end(() => {}),
    };
    return self;
  }

  return {
    admit() {
      if (failures < FAILURES) return admission();
      if (now() < openUntil || probe) return null;
      probe = admission();
      return probe;
    },
    isOpen: () => failures >= FAILURES && now() < openUntil,
    hasFailed: () => failures >= FAILURES,
  };
}

/** Limits the images sent per day (UTC). */
export interface DailyLimit {
  /** Counts an image and returns true if it may be sent today; false also while the count of the day is unknown. */
  take(): Promise<boolean>;
}

const DAY_MS = 86_400_000;

/** Creates the limit of a budget whose keys are days; undefined: no limit. */
export function createDailyLimit(limit: number | undefined, images: Budget, now: () => Date): DailyLimit {
  return {
    async take() {
      if (limit === undefined) return true;
      const at = now();
      const key = at.toISOString().slice(0, 10);
      const windowMs = startOfDay(key).getTime() + DAY_MS - at.getTime();
      // Without the database the count of the day is unknown.
      const taken = await images.take([{ key, limit, windowMs }]).catch(() => null);
      return taken?.isTaken ?? false;
    },
  };
}

/** Returns the beginning of a day (UTC), e.g. of `2026-01-31`. */
export function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}
