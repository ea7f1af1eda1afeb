import { type Rest, RestError } from './rest.ts';

/** A run as returned by the plugin's routes. */
export interface Run {
  id: string;
  kind: 'optimize' | 'restore';
  options: { format: string; preset: string; fillText: boolean };
  state: 'running' | 'stopped' | 'done';
  reason: { code: string; message: string } | null;
  total: number;
  done: number;
  failed: { id: number; title: string; code: string; message: string }[];
  remaining: number[];
  bytes: { before: number; after: number };
}

/** Callbacks of a run in progress. */
export interface RunListener {
  /** Called after each image and at the end. */
  changed(run: Run): void;
  /** Called if another window processes all remaining images. */
  elsewhere(): void;
}

/** Images processed at once. Each occupies a PHP worker, of which shared hosts have few. */
const CONCURRENCY = 2;
/** Interval of checks for images that another window processes, in milliseconds. */
const POLL_MS = 3000;
/** Most tries of one image while the service is busy or does not respond. */
const MAX_TRIES = 4;

/** A run in this window. */
export interface RunDriver {
  /**
   * Processes images until none remains, the run is stopped in any window, or an error concerns all images.
   * @returns the run in its last state; null if it was closed
   */
  work(run: Run): Promise<Run | null>;
  /** Stops after the images in progress. */
  stop(): void;
}

/**
 * Creates the driver of a run. The server processes each image in one request and stores its outcome, so that a closed tab
 * loses nothing. Several windows can share a run, since an image has one worker at a time.
 */
export function createRunDriver(rest: Rest, listener: RunListener): RunDriver {
  let stopped = false;

  const read = async (): Promise<Run | null> => (await rest.call<{ run: Run | null }>('GET', '/run')).run;

  async function end(reason: RestError | null): Promise<void> {
    stopped = true;
    if (reason?.code === 'logged_out' || reason?.code === 'unreachable') throw reason;
    const json = { state: 'stopped', ...(reason ? { code: reason.code, message: reason.message } : {}) };
    await rest.call('PATCH', '/run', { json });
  }

  /** Does one image. Gives what came of it, or what stops the whole run. */
  async function once(run: Run, id: number): Promise<'done' | 'busy' | 'ended' | RestError> {
    const { kind, options } = run;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await rest.call('POST', `/attachments/${id}/${kind}`, {
          json: kind === 'optimize' ? { ...options, run: run.id } : { run: run.id },
        });
        return 'done';
      } catch (error) {
        if (!(error instanceof RestError)) throw error;
        if (error.code === 'imagewright_busy') return 'busy';
        if (error.code === 'imagewright_run_stopped') return 'ended';
        // The server has stored the reason, or the image was deleted.
        if (error.data.noted || error.status === 404 || error.code === 'rest_forbidden') return 'done';
        const passing = [0, 429, 500, 502, 503, 504].includes(error.status);
        if (!passing || attempt >= MAX_TRIES || stopped) return error;
        await pause(Math.min(60_000, Number(error.data.retryAfter ?? 2 ** (attempt - 1)) * 1000));
      }
    }
  }

  async function work(first: Run): Promise<Run | null> {
    stopped = false;
    let run = first;
    for (;;) {
      const queue = [...run.remaining];
      const blocked: RestError[] = [];
      let busy = 0;
      const take = async () => {
        for (let id = queue.shift(); id !== undefined && !stopped; id = queue.shift()) {
          const outcome = await once(run, id);
          if (outcome === 'busy') busy += 1;
          else if (outcome === 'done') {
            const remaining = run.remaining.filter((one) => one !== id);
            run = { ...run, remaining, done: run.total - remaining.length - run.failed.length };
            listener.changed(run);
          } else {
            stopped = true;
            if (outcome !== 'ended') blocked.push(outcome);
          }
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, take));
      if (blocked[0]) await end(blocked[0]);
      const now = await read();
      if (!now) return null;
      run = now;
      listener.changed(run);
      if (stopped || run.state !== 'running' || run.remaining.length === 0) return run;
      // Another window processes the rest, or has just finished it.
      if (busy > 0) {
        listener.elsewhere();
        await pause(POLL_MS);
      }
    }
  }

  return {
    work,
    stop() {
      stopped = true;
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
