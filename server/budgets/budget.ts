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

interface Window {
  endsAt: number;
  taken: number;
}

interface State {
  /** Windows by key, in the order in which they began. */
  windows: Map<string, Window>;
  /** First counts of windows that are about to begin. */
  beginnings: Map<string, Promise<number>>;
  initial: BudgetOptions['initial'];
  monotonicNow: () => number;
}

/** Creates a budget of this process. Windows are measured by a monotonic clock. */
export function createProcessBudget({ initial }: BudgetOptions, monotonicNow: () => number): Budget {
  const state: State = { windows: new Map(), beginnings: new Map(), initial, monotonicNow };
  return {
    async take(limits) {
      for (const limit of limits) await prepare(state, limit);
      return takeAll(state, limits);
    },

    async forget(key) {
      state.windows.delete(key);
    },
  };
}

/** Finds the first count of a window that has one; requests at the same moment share the query. */
async function prepare(state: State, { key, windowMs }: Limit): Promise<void> {
  const { initial, beginnings } = state;
  if (!initial || running(state, key)) return;
  const beginning = beginnings.get(key) ?? initial(key).finally(() => beginnings.delete(key));
  beginnings.set(key, beginning);
  const taken = await beginning;
  if (!running(state, key)) begin(state, key, windowMs).taken = taken;
}

/** Takes one of each limit, or nothing: between the check and the count nothing is awaited. */
function takeAll(state: State, limits: readonly Limit[]): Taken {
  const at = state.monotonicNow();
  const full = limits.flatMap(({ key, limit, windowMs }) => {
    const window = running(state, key);
    return (window?.taken ?? 0) >= limit ? [window?.endsAt ?? at + windowMs] : [];
  });
  if (full.length > 0) return { isTaken: false, left: 0, endsInMs: Math.max(...full) - at, giveBack: async () => {} };
  const taken = limits.map(({ key, limit, windowMs }) => {
    const window = running(state, key) ?? begin(state, key, windowMs);
    window.taken += 1;
    return { key, window, left: limit - window.taken };
  });
  return {
    isTaken: true,
    left: Math.min(...taken.map(({ left }) => left)),
    endsInMs: Math.max(...taken.map(({ window }) => window.endsAt)) - at,
    async giveBack() {
      for (const { key, window } of taken.splice(0)) {
        window.taken -= 1;
        if (window.taken <= 0 && state.windows.get(key) === window) state.windows.delete(key);
      }
    },
  };
}

function running({ windows, monotonicNow }: State, key: string): Window | undefined {
  const window = windows.get(key);
  return window && monotonicNow() < window.endsAt ? window : undefined;
}

function begin({ windows, monotonicNow }: State, key: string, windowMs: number): Window {
  windows.delete(key);
  dropOldest(windows);
  const fresh = { endsAt: monotonicNow() + windowMs, taken: 0 };
  windows.set(key, fresh);
  return fresh;
}
