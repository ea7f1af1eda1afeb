import { createDebounce } from '../debounce.ts';
import type { Environment } from '../environment.ts';
import { askedDelay, failure, isFatal, toOptimizerError } from '../errors.ts';
import type { Item, WaitReason } from '../types.ts';

/** Wait before the second try, in milliseconds; doubles from try to try, give or take half of it. */
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;
/** Before the first sign of an upload there is a connection to make, or nothing that reports progress. */
const PATIENCE = 4;

/** Dependencies of the queue. */
export interface UploadQueueDeps {
  env: Environment;
  limits(): { concurrency: number; retries: number; stallTimeout: number };
  /** False until there is a session: the first upload creates it, so it goes alone. */
  isOpen(): boolean;
  /** Uploads one file. */
  send(
    id: string,
    options: { signal: AbortSignal; onProgress: (loaded: number, total: number) => void },
  ): Promise<void>;
  patch(id: string, changes: Partial<Item>, progress?: boolean): void;
  onProgress(id: string, loaded: number, total: number): void;
  /** The file is given up. */
  onFailed(id: string, cause: unknown): void;
  /** No request will be answered: the queue stands until `resume`. */
  onBlocked(cause: unknown): void;
  /** Nothing is left to do. */
  onIdle(): void;
}

/** Sums over the uploads since the queue was last empty. Bytes count as far as sizes are known. */
export interface UploadTotals {
  done: number;
  failed: number;
  total: number;
  loadedBytes: number;
  totalBytes: number;
}

interface Entry {
  readonly id: string;
  tries: number;
  /** Not before, by the environment's clock. */
  due: number;
  /** Reason for waiting that its row shows. */
  reason: WaitReason | null;
  /** Ends the running try; null while it waits. */
  stop: ((cause: unknown) => void) | null;
}

interface Share {
  loaded: number;
  size: number;
  state: 'open' | 'done' | 'failed';
}

/** Uploads files, several at a time, with tries, a watch for silence, pause, and a wait for the connection. */
export function createUploadQueue(deps: UploadQueueDeps) {
  const { env } = deps;
  const entries = new Map<string, Entry>();
  const shares = new Map<string, Share>();
  const waiters = new Set<() => void>();
  let paused = false;
  let blocked = false;
  let idle = true;
  const nextTry = createDebounce(env, pump);
  const stopListening = env.online.subscribe(() => {
    // What was under way may hang on a connection that is no more, and nobody would hear of it for a long time.
    if (!env.online.isOnline()) stopAll();
    pump();
  });

  const activeCount = () => [...entries.values()].filter(({ stop }) => stop).length;

  function reasonToWait({ due }: Entry): WaitReason | null {
    if (paused) return 'paused';
    if (!env.online.isOnline()) return 'offline';
    return due > env.now() ? 'retry' : null;
  }

  function pump() {
    const { concurrency } = deps.limits();
    // What is no number must not keep everything waiting.
    const limit = deps.isOpen() && concurrency > 1 ? concurrency : 1;
    const stands = paused || blocked || !env.online.isOnline();
    let active = activeCount();
    let next = Number.POSITIVE_INFINITY;
    for (const entry of [...entries.values()]) {
      if (entry.stop) continue;
      if (!stands && active < limit && entry.due <= env.now()) {
        active += 1;
        start(entry);
      } else {
        const reason = reasonToWait(entry);
        // Only what is news: hundreds may wait.
        if (reason !== entry.reason) deps.patch(entry.id, { waiting: reason });
        entry.reason = reason;
        if (entry.due > env.now()) next = Math.min(next, entry.due);
      }
    }
    nextTry.cancel();
    if (!stands && next < Number.POSITIVE_INFINITY) nextTry.schedule(next - env.now());
    if (entries.size === 0 && !idle) {
      idle = true;
      deps.onIdle();
    }
    if (idle || blocked) for (const done of [...waiters]) done();
  }

  /** Ends the tries that run; their files stay in the queue. */
  function stopAll() {
    for (const { stop } of [...entries.values()]) stop?.(failure('aborted'));
  }

  function start(entry: Entry) {
    const { id } = entry;
    const { stallTimeout } = deps.limits();
    const controller = new AbortController();
    let over = false;
    const silence = createDebounce(env, () => entry.stop?.(failure('stalled')));

    function end(finish: () => void) {
      if (over) return;
      over = true;
      silence.cancel();
      entry.stop = null;
      finish();
      pump();
    }
    entry.tries += 1;
    entry.reason = null;
    entry.stop = (cause) => {
      controller.abort(cause);
      end(() => fail(entry, cause, true));
    };
    deps.patch(id, { status: 'uploading', progress: 0, step: null, waiting: null, tries: entry.tries, error: null });
    if (stallTimeout > 0) silence.schedule(stallTimeout * PATIENCE);

    const onProgress = (loaded: number, total: number) => {
      if (over) return;
      silence.cancel();
      // When all has left, the service is at work, and the client waits for its answer.
      if (stallTimeout > 0 && loaded < total) silence.schedule(stallTimeout);
      const share = shares.get(id);
      const progress = total > 0 ? loaded / total : 0;
      if (share) share.loaded = share.size * progress;
      deps.patch(id, { progress }, true);
      deps.onProgress(id, loaded, total);
    };
    deps.send(id, { signal: controller.signal, onProgress }).then(
      () =>
        end(() => {
          entries.delete(id);
          close(id, 'done');
        }),
      (cause) => end(() => fail(entry, cause)),
    );
  }

  function fail(entry: Entry, cause: unknown, stopped = false) {
    const { id } = entry;
    const { retries } = deps.limits();
    const error = toOptimizerError(cause, (key) => key);
    const share = shares.get(id);
    if (share) share.loaded = 0;
    deps.patch(id, { status: 'queued', progress: 0 });
    if (isFatal(error.code)) {
      entry.tries = 0;
      blocked = true;
      deps.onBlocked(cause);
    } else if ((stopped && error.code === 'aborted') || (!env.online.isOnline() && error.status === null)) {
      // Nobody's fault: it is no try.
      entry.tries -= 1;
    } else if (error.retryable && entry.tries < retries) {
      const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (entry.tries - 1)) * (0.5 + env.random());
      entry.due = env.now() + Math.max(delay, askedDelay(cause));
    } else {
      entries.delete(id);
      close(id, 'failed');
      deps.onFailed(id, cause);
    }
  }

  function close(id: string, state: Share['state']) {
    const share = shares.get(id);
    if (!share) return;
    share.state = state;
    share.loaded = share.size;
  }

  /** Takes an entry out; a running try ends without a word. */
  function take(id: string) {
    const entry = entries.get(id);
    entries.delete(id);
    shares.delete(id);
    const stop = entry?.stop;
    if (entry) entry.stop = null;
    return stop;
  }

  return {
    /** Puts files to the end of the queue; those that are in it stay where they are. */
    add(files: readonly { id: string; size: number | null }[]) {
      if (entries.size === 0) shares.clear();
      for (const { id, size } of files) {
        if (entries.has(id)) continue;
        entries.set(id, { id, tries: 0, due: 0, reason: null, stop: null });
        shares.set(id, { loaded: 0, size: size ?? 0, state: 'open' });
        idle = false;
      }
      pump();
    },
    has: (id: string) => entries.has(id),
    /** Stops what is under way; it begins anew with `resume`. */
    pause() {
      paused = true;
      stopAll();
      pump();
    },
    /** Goes on, at once with what waited for its next try. */
    resume() {
      paused = false;
      blocked = false;
      for (const entry of entries.values()) entry.due = 0;
      pump();
    },
    /** Takes files out of the queue, running ones included. */
    remove(ids: readonly string[]) {
      const stops = ids.map(take);
      for (const stop of stops) stop?.(failure('aborted'));
      pump();
    },
    ids: () => [...entries.keys()],
    get paused() {
      return paused;
    },
    /** True while something is being sent or about to be. */
    get busy() {
      return entries.size > 0 && !blocked;
    },
    totals(): UploadTotals {
      const all = [...shares.values()];
      const sum = (of: (share: Share) => number) => all.reduce((total, share) => total + of(share), 0);
      return {
        done: sum(({ state }) => Number(state === 'done')),
        failed: sum(({ state }) => Number(state === 'failed')),
        total: all.length,
        loadedBytes: sum(({ loaded }) => loaded),
        totalBytes: sum(({ size }) => size),
      };
    },
    /** Resolves when the queue is empty, or stands because no request will be answered. */
    idle(): Promise<void> {
      if (entries.size === 0 || blocked) return Promise.resolve();
      return new Promise((resolve) => {
        const done = () => {
          waiters.delete(done);
          resolve();
        };
        waiters.add(done);
      });
    },
    dispose() {
      stopListening();
      nextTry.cancel();
      for (const id of [...entries.keys()]) take(id)?.(failure('aborted'));
    },
  };
}

/** The queue of uploads. */
export type UploadQueue = ReturnType<typeof createUploadQueue>;
