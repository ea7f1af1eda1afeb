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
  const context: DriverContext = { rest, listener, stopped: false };
  return {
    work: (run) => work(context, run),
    stop() {
      context.stopped = true;
    },
  };
}

interface DriverContext {
  readonly rest: Rest;
  readonly listener: RunListener;
  stopped: boolean;
}

async function work(context: DriverContext, first: Run): Promise<Run | null> {
  const { rest, listener } = context;
  context.stopped = false;
  let run = first;
  for (;;) {
    const { busy, error } = await processRemaining(context, run);
    if (error) await storeStop(rest, error);
    const { run: stored } = await rest.call<{ run: Run | null }>('GET', '/run');
    if (!stored) return null;
    run = stored;
    listener.changed(run);
    if (context.stopped || run.state !== 'running' || run.remaining.length === 0) return run;
    // Another window processes the rest, or has just finished it.
    if (busy) {
      listener.elsewhere();
      await pause(POLL_MS);
    }
  }
}

/**
 * Processes the remaining images once. `busy`: another window works on some of them. `error`: the first error that concerns
 * all images.
 */
async function processRemaining(context: DriverContext, first: Run): Promise<{ busy: boolean; error?: RestError }> {
  const queue = [...first.remaining];
  let run = first;
  let busy = false;
  let error: RestError | undefined;
  const processQueue = async () => {
    for (let id = queue.shift(); id !== undefined && !context.stopped; id = queue.shift()) {
      const outcome = await processImage(context, run, id);
      if (outcome === 'busy') busy = true;
      else if (outcome === 'done') {
        const remaining = run.remaining.filter((one) => one !== id);
        run = { ...run, remaining, done: run.total - remaining.length - run.failed.length };
        context.listener.changed(run);
      } else {
        context.stopped = true;
        if (outcome !== 'ended') error ??= outcome;
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, processQueue));
  return { busy, ...(error && { error }) };
}

/** Processes one image. Returns its outcome, or the error that stops the whole run. */
async function processImage(
  context: DriverContext,
  { id: run, kind, options }: Run,
  id: number,
): Promise<'done' | 'busy' | 'ended' | RestError> {
  const json = kind === 'optimize' ? { ...options, run } : { run };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await context.rest.call('POST', `/attachments/${id}/${kind}`, { json });
      return 'done';
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      if (error.code === 'imagewright_busy') return 'busy';
      if (error.code === 'imagewright_run_stopped') return 'ended';
      // The server has stored the reason, or the image was deleted.
      if (error.data.noted || error.status === 404 || error.code === 'rest_forbidden') return 'done';
      const isTemporary = [0, 429, 500, 502, 503, 504].includes(error.status);
      if (!isTemporary || attempt >= MAX_TRIES || context.stopped) return error;
      await pause(Math.min(60_000, Number(error.data.retryAfter ?? 2 ** (attempt - 1)) * 1000));
    }
  }
}

/** Stores why the run stopped. @throws RestError if the server cannot be reached for that */
async function storeStop(rest: Rest, reason: RestError): Promise<void> {
  const { code, message } = reason;
  if (code === 'logged_out' || code === 'unreachable') throw reason;
  await rest.call('PATCH', '/run', { json: { state: 'stopped', code, message } });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
