import type { CounterRepository } from '../db/index.ts';

/** Limit of one key: at most `limit` in a window, which begins with the first one taken and has a fixed end. */
export interface Limit {
  key: string;
  limit: number;
  windowMs: number;
}

/** Outcome of {@link Budget.take}. */
export interface Taken {
  isTaken: boolean;
  /** Rest of the window; the least of several limits. */
  left: number;
  /** Time until the window ends, in milliseconds; the longest of the windows that are used up. */
  endsInMs: number;
  /** Takes it back if it came to nothing. Without effect if nothing was taken; never rejects. */
  giveBack(): Promise<void>;
}

/** Counts what happens against limits: requests, attempts, images. */
export interface Budget {
  /**
   * Counts one towards each limit before it happens, so that simultaneous ones all count; all limits or none. One that is refused
   * is not counted, and prolongs no window.
   * @throws what the database or {@link BudgetOptions.initial} throws: the count is unknown
   */
  take(limits: readonly Limit[]): Promise<Taken>;
  /** Forgets what was counted of a key. Never rejects. */
  forget(key: string): Promise<void>;
}

/** Options of a budget. */
export interface BudgetOptions {
  /** Name of the counted thing; part of the ids of shared counters. */
  name: string;
  /** Returns the number that a server takes at once of a shared limit, which saves queries. @default 1 */
  block?: (limit: number) => number;
  /** True if nothing is ever given back or forgotten: what is used up stays so until the window ends. @default false */
  isFinal?: boolean;
  /** Count with which a window begins. @default 0 */
  initial?: (key: string) => Promise<number>;
}

/** Counters and clocks of a budget. */
export interface BudgetDeps {
  /** Counts that all servers share; absent: this process is the only one. */
  counters?: SharedCounters | undefined;
  /** @default the clock */
  now?: (() => Date) | undefined;
  /** Monotonic clock, in milliseconds. @default performance.now */
  monotonicNow?: (() => number) | undefined;
}

/** Counts that all servers of a database share. */
export type SharedCounters = Pick<CounterRepository, 'take' | 'giveBack' | 'forget'>;

/** Most keys that a process remembers of a budget; those whose windows began first are dropped first. */
const MOST_KEYS = 50_000;

/** Makes room in a map for one more key. */
export function dropOldest<T>(map: Map<string, T>): void {
  if (map.size < MOST_KEYS) return;
  const [oldest = ''] = map.keys();
  map.delete(oldest);
}
