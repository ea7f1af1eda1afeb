import type { Logger } from './observability/index.ts';

/** Work that is repeated while the service runs. */
export interface BackgroundTask {
  name: string;
  everyMs: number;
  /** Has its first turn at the start. @default false */
  atOnce?: boolean;
  run: () => Promise<unknown>;
}

/** Repeats tasks, each never twice at once; a failure is logged and the next turn tries again. */
export function startBackgroundTasks(tasks: BackgroundTask[], logger: Logger) {
  const running = new Map<string, Promise<void>>();
  const timers = tasks.map(({ name, everyMs, atOnce, run }) => {
    const takeTurn = () => {
      if (running.has(name)) return;
      const turn = run()
        .then(() => {})
        .catch((error: unknown) => logger.warn({ err: error, task: name }, 'a background task failed'))
        .finally(() => running.delete(name));
      running.set(name, turn);
    };
    if (atOnce) takeTurn();
    return setInterval(takeTurn, everyMs).unref();
  });
  return {
    /** Starts no further turn and waits for those that run. */
    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
    },
  };
}
