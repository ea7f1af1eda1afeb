import { type Budget, type BudgetOptions, dropOldest, type Limit, type Taken } from './budget.ts';

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
