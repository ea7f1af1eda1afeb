import type { Environment } from '../../../widget/state/index.ts';

/** An environment whose time passes when a test says so. */
export interface TestEnvironment extends Environment {
  /** Advances the time, timer by timer; promises settle in between. */
  advance(ms: number): Promise<void>;
  setOnline(online: boolean): void;
  stored: Map<string, string>;
}

interface Scheduled {
  at: number;
  task: () => void;
}

/** Runs all work that waits for promises alone. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Makes an environment with a clock, a connection and a storage of its own. */
export function createTestEnvironment(stored = new Map<string, string>()): TestEnvironment {
  let now = 0;
  let online = true;
  const timers = new Set<Scheduled>();
  const listeners = new Set<() => void>();

  return {
    stored,
    now: () => now,
    setTimeout(task, ms) {
      const timer = { at: now + ms, task };
      timers.add(timer);
      return timer;
    },
    clearTimeout(timer) {
      timers.delete(timer as Scheduled);
    },
    random: () => 0.5,
    online: {
      isOnline: () => online,
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    storage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    },
    setOnline(next) {
      online = next;
      for (const listener of [...listeners]) listener();
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const [next] = [...timers].sort((a, b) => a.at - b.at);
        if (!next || next.at > end) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.task();
        await settle();
      }
      now = end;
      await settle();
    },
  };
}
