import { randomUUID } from 'node:crypto';
import { WorkerTimedOut } from './worker-pool.ts';

/** Processor time that all tasks of one image may take together: all formats and sizes, in whatever processes. */
export interface TimeBudget {
  /** Aborts with `WorkerTimedOut` once the time is used up; then no task of the image starts any more. */
  readonly signal: AbortSignal;
  /** Stands for the image's work in the quarantine: what is made together fails together. */
  readonly work: string;
  /** Differs for each budget, so that several tasks that end with it count once. */
  readonly occasion: string;
  /** Whole seconds. */
  readonly seconds: number;
  /** Counts the time of a process by its stopwatch. @returns ends that; false: the time does not count, since others stopped the task */
  count: (usedMs: () => number) => (counts?: boolean) => void;
  /** Returns the milliseconds used so far. */
  usedMs: () => number;
}

/** Longest and shortest time between two looks at the stopwatches, in milliseconds. */
const LOOKS_MS = { most: 1000, least: 50 };

/** Creates the budget of an image. @param work e.g. the formats that are made of it */
export function createTimeBudget(seconds: number, work: string): TimeBudget {
  const limitMs = seconds * 1000;
  const over = new AbortController();
  /** Last reading of each running stopwatch, which reads 0 after the end of its process. */
  const running = new Map<() => number, number>();
  let spent = 0;
  let timer: NodeJS.Timeout | undefined;

  function usedMs(): number {
    let sum = spent;
    for (const [read, last] of running) {
      const now = Math.max(last, read());
      running.set(read, now);
      sum += now;
    }
    return sum;
  }

  function look(): void {
    clearTimeout(timer);
    const left = limitMs - usedMs();
    if (left <= 0) over.abort(new WorkerTimedOut());
    if (left <= 0 || running.size === 0) return;
    const wait = Math.min(Math.max(left / running.size, LOOKS_MS.least), LOOKS_MS.most);
    timer = setTimeout(look, wait).unref();
  }

  return {
    signal: over.signal,
    work,
    occasion: randomUUID(),
    seconds,
    usedMs,
    count(read) {
      running.set(read, 0);
      look();
      return (counts = true) => {
        usedMs();
        if (counts) spent += running.get(read) ?? 0;
        running.delete(read);
        look();
      };
    },
  };
}
