import { waitAtMost } from './concurrency.ts';
import { StoreAwayError } from './errors.ts';
import type { Logger } from './observability/index.ts';

/** Work that is repeated at an interval while the service runs. */
export interface BackgroundTask {
  name: string;
  everyMs: number;
  /** Runs at the start too. @default false */
  atOnce?: boolean;
  run: () => Promise<unknown>;
}

/** Repeats tasks, each without overlap; a failure is logged, and the task runs again at its next turn. */
export function startBackgroundTasks(tasks: BackgroundTask[], logger: Logger) {
  const running = new Map<string, Promise<void>>();
  const timers = tasks.map(({ name, everyMs, atOnce, run }) => {
    const runTask = () => {
      if (running.has(name)) return;
      const turn = run()
        .then(() => {})
        .catch((error: unknown) => {
          // The store has said once what it lacks.
          if (!(error instanceof StoreAwayError)) logger.warn({ err: error, task: name }, 'a background task failed');
        })
        .finally(() => running.delete(name));
      running.set(name, turn);
    };
    if (atOnce) runTask();
    return setInterval(runTask, everyMs).unref();
  });
  return {
    /** Stops the timers and waits up to `waitMs` for running tasks; an unfinished one is repeated at the next start. */
    async stop(waitMs: number): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      await waitAtMost(waitMs, Promise.all(running.values()));
      if (running.size > 0) logger.warn({ tasks: [...running.keys()] }, 'background tasks did not end in time');
    },
  };
}
