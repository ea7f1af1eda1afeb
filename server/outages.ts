import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from './errors.ts';
import type { Logger } from './observability/index.ts';

/** Quiet time after which an outage is over: longer than the interval of the tasks that would meet it again. */
const QUIET_MS = 6000;
/** Interval at which a database that is away is asked, in milliseconds. */
const ASK_MS = 1000;

interface OutageParts {
  logger: Logger;
  /** Rejects while the database does not respond. */
  ping: () => Promise<void>;
  /** Aborts when the service begins to stop. */
  stopping: AbortSignal;
  quietMs?: number;
}

/**
 * Returns a logger that tells an outage of the database once, and once that it is over, in place of a warning of each work that
 * meets it. What it leaves out is logged at the level `debug`.
 */
export function tellOutagesOnce({ logger, ping, stopping, quietMs = QUIET_MS }: OutageParts): Logger {
  let outage: { startedAt: number; lastAt: number; leftOut: number } | null = null;

  async function watch(begun: NonNullable<typeof outage>): Promise<void> {
    let answers = false;
    while (!answers || performance.now() - begun.lastAt < quietMs) {
      await sleep(ASK_MS, undefined, { ref: false });
      if (stopping.aborted) return;
      answers = await ping().then(
        () => true,
        () => false,
      );
      if (!answers) begun.lastAt = performance.now();
    }
    outage = null;
    const seconds = Math.round((begun.lastAt - begun.startedAt) / 1000);
    logger.info({ seconds, leftOut: begun.leftOut }, 'the database responds again');
  }

  /** Returns true if this is told already. */
  function isTold(error: unknown): boolean {
    const now = performance.now();
    if (outage) {
      outage.lastAt = now;
      outage.leftOut += 1;
      return true;
    }
    outage = { startedAt: now, lastAt: now, leftOut: 0 };
    const { name, message } = error as Error;
    logger.warn(
      { cause: `${name}: ${message}` },
      'the database does not respond; work that needs it waits or is repeated',
    );
    watch(outage).catch((thrown: unknown) => logger.error({ err: thrown }, 'the end of an outage was not seen'));
    return true;
  }

  // Its children and methods stay those of the logger.
  const quiet: Logger = Object.create(logger);
  for (const level of ['warn', 'error'] as const) {
    quiet[level] = (fields: unknown, ...rest: unknown[]) => {
      const error = (fields as { err?: unknown } | null)?.err;
      const method = meetsOutage(error) && isTold(error) ? 'debug' : level;
      (logger[method] as (...args: unknown[]) => void)(fields, ...rest);
    };
  }
  return quiet;
}

/** Returns true if the database is away, also where that is the cause of the error. */
function meetsOutage(error: unknown): boolean {
  const { cause, code } = (error ?? {}) as { cause?: unknown; code?: unknown };
  // A socket of a client may end so, too.
  return (isDatabaseAway(error) && code !== 'EPIPE') || isDatabaseAway(cause);
}
