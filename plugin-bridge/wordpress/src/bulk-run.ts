import { type Rest, RestError } from './rest.ts';

/** A run as returned by the plugin's routes. */
export interface Run {
  id: string;
  kind: 'optimize' | 'restore' | 'discard';
  options: { format: string; preset: string; fillText: boolean };
  state: 'running' | 'stopped' | 'done';
  reason: { code: string; message: string } | null;
  /** Reason for a pause, e.g. that the service does not respond; empty while the run works. */
  waiting: string;
  /** Images that were begun before a stop, and are being finished. */
  busy: number;
  total: number;
  done: number;
  /** Images that would not become smaller. */
  noGain: number;
  failedCount: number;
  /** The newest failures. */
  failed: { id: number; title: string; code: string; message: string }[];
  bytes: { before: number; after: number };
}

/** Callbacks of a run in progress. */
export interface RunListener {
  /** Called with each new state. */
  changed(run: Run): void;
  /** Called if the site does not respond; the run is asked for again. */
  lost(error: RestError): void;
}

/** Requests of this page that work on the queue at once. Each occupies a PHP worker, of which shared hosts have few. */
const CONCURRENCY = 2;
/** Interval of readings of the progress, in milliseconds. */
const POLL_MS = 1500;
/** Most readings after a stop, for images that are being finished. */
const MAX_STOPPED_POLLS = 40;
/** Longest interval while the site does not respond, in milliseconds. */
const MAX_POLL_MS = 30_000;

/**
 * Follows a run until it has ended, is stopped in any window and no image is in progress, or is closed, and works on it: the server
 * does that by itself too, by WP-Cron, but an open page is faster. Images are handed out one by one, so several windows can share a
 * run.
 * @returns the run in its last state; null if it was closed
 * @throws RestError logged_out
 */
export async function followRun(rest: Rest, listener: RunListener): Promise<Run | null> {
  let isFollowed = true;
  const workers = Array.from({ length: CONCURRENCY }, () => work(rest, () => isFollowed));
  try {
    for (let [failures, stopped] = [0, 0]; ; ) {
      try {
        const { run } = await rest.call<{ run: Run | null }>('GET', '/run');
        failures = 0;
        if (run) listener.changed(run);
        if (run?.state !== 'running' && (!run?.busy || stopped === MAX_STOPPED_POLLS)) return run;
        if (run.state !== 'running') stopped += 1;
      } catch (error) {
        if (!(error instanceof RestError) || error.code === 'logged_out') throw error;
        failures += 1;
        listener.lost(error);
      }
      await pause(Math.min(MAX_POLL_MS, POLL_MS * 2 ** Math.min(failures, 5)));
    }
  } finally {
    isFollowed = false;
    void Promise.allSettled(workers);
  }
}

/** Sends requests that work on the queue. An error is no reason to end: the image may have ended PHP, and is given up then. */
async function work(rest: Rest, isFollowed: () => boolean): Promise<void> {
  while (isFollowed()) {
    const worked = await rest
      .call<{ worked: number }>('POST', '/run/work', { json: {} })
      .then((answer) => answer.worked)
      .catch(() => 0);
    if (worked === 0) await pause(POLL_MS);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
