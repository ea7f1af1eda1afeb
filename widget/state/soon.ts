import type { Environment, Timer } from './environment.ts';

/** A task that is wanted soon, once. */
export interface Soon {
  /** Runs the task within `ms`, with all that wanted it until then. */
  within(ms: number): void;
  cancel(): void;
}

/** Collects wishes for a task into one run. */
export function createSoon(env: Environment, task: () => void): Soon {
  let timer: Timer | null = null;
  let due = 0;
  function cancel() {
    if (timer !== null) env.clearTimeout(timer);
    timer = null;
  }
  return {
    within(ms) {
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

/** Says for each name at most every `gap` ms that it is time. */
export function createPace(env: Environment, gap: number): (name: string) => boolean {
  const last = new Map<string, number>();
  return (name) => {
    const now = env.now();
    if (now - (last.get(name) ?? Number.NEGATIVE_INFINITY) < gap) return false;
    last.set(name, now);
    return true;
  };
}
