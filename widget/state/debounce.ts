import type { Environment, Timer } from './environment.ts';

/** A task that runs once for all requests within a delay. */
export interface Debounced {
  /** Runs the task within `ms` milliseconds; an earlier run that is already scheduled stays. */
  schedule(ms: number): void;
  cancel(): void;
}

/** Combines requests for a task into one run, at the earliest of their times. */
export function createDebounce(env: Environment, task: () => void): Debounced {
  let timer: Timer | null = null;
  let due = 0;
  function cancel() {
    if (timer !== null) env.clearTimeout(timer);
    timer = null;
  }
  return {
    schedule(ms) {
      const at = env.now() + ms;
      if (timer !== null && due <= at) return;
      cancel();
      due = at;
      timer = env.setTimeout(() => {
        timer = null;
        task();
      }, ms);
    },
    cancel,
  };
}

/** Returns a function that is true for each name at most once per `gapMs` milliseconds. */
export function createThrottle(env: Environment, gapMs: number): (name: string) => boolean {
  const last = new Map<string, number>();
  return (name) => {
    const now = env.now();
    if (now - (last.get(name) ?? Number.NEGATIVE_INFINITY) < gapMs) return false;
    last.set(name, now);
    return true;
  };
}
