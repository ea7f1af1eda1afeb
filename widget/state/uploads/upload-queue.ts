import { createDebounce, type Debounced } from '../debounce.ts';
import type { Environment } from '../environment.ts';
import { failure, isFatal, requestedDelay, toOptimizerError } from '../errors.ts';
import type { Item, WaitReason } from '../types.ts';
import { type AttemptFailure, createAttempt, type Send, type UploadAttempt } from './upload-attempt.ts';
import { createUploadCounter, type UploadTotals } from './upload-totals.ts';

/** Delay before the second try, in milliseconds. Doubles with each try, with a jitter of half of it. */
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;

/** Dependencies of the queue. */
export interface UploadQueueDeps {
  env: Environment;
  limits(): { concurrency: number; retries: number; stallTimeout: number };
  /** False until there is a session: the first upload creates it, so it goes alone. */
  isOpen(): boolean;
  /** Uploads one file. */
  send(id: string, options: Parameters<Send>[0]): Promise<void>;
  patch(id: string, changes: Partial<Item>, progress?: boolean): void;
  onProgress(id: string, loaded: number, total: number): void;
  /** Called when a file has failed for good. */
  onFailed(id: string, cause: unknown): void;
  /** Called when every request would fail: the queue stops until `resume`. */
  onBlocked(cause: unknown): void;
  /** Called when the queue becomes empty. */
  onIdle(): void;
}

interface Entry {
  readonly id: string;
  tries: number;
  /** Earliest time of the next try, by the environment's clock. */
  due: number;
  /** Reason for waiting that its row shows. */
  reason: WaitReason | null;
  /** The running try; null while it waits. */
  attempt: UploadAttempt | null;
  /** The queue's `#most` when the try started. */
  most: number;
}

/**
 * Uploads files, several at a time, with retries, a stall timeout and pause. Waits while the browser is offline. After a
 * timeout half as many run at a time, until the queue is empty: they share one line.
 */
export class UploadQueue {
  readonly #deps: UploadQueueDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #counter = createUploadCounter();
  readonly #waiters = new Set<() => void>();
  readonly #nextTry: Debounced;
  readonly #stopListening: () => void;
  /** True from `pause` to `resume`. */
  paused = false;
  #blocked = false;
  #idle = true;
  /** Most uploads at a time after timeouts. */
  #most = Number.POSITIVE_INFINITY;

  constructor(deps: UploadQueueDeps) {
    const { env } = deps;
    this.#deps = deps;
    this.#nextTry = createDebounce(env, () => this.#pump());
    this.#stopListening = env.online.subscribe(() => {
      // A request on a lost connection may hang for a long time without an error.
      if (!env.online.isOnline()) this.#stopAll();
      this.#pump();
    });
  }

  /** Appends files to the queue; files that are already in it keep their place. */
  add(files: readonly { id: string; size: number | null }[]) {
    if (this.#entries.size === 0) {
      this.#counter.clear();
      this.#most = Number.POSITIVE_INFINITY;
    }
    for (const { id, size } of files) {
      if (this.#entries.has(id)) continue;
      this.#entries.set(id, { id, tries: 0, due: 0, reason: null, attempt: null, most: 0 });
      this.#counter.add(id, size);
      this.#idle = false;
    }
    this.#pump();
  }

  /** Stops running uploads; `resume` starts them again from the beginning. */
  pause() {
    this.paused = true;
    this.#stopAll();
    this.#pump();
  }

  /** Continues, without the delay of files that wait for a retry. */
  resume() {
    this.paused = false;
    this.#blocked = false;
    for (const entry of this.#entries.values()) entry.due = 0;
    this.#pump();
  }

  /** Removes files from the queue and stops their uploads. */
  remove(ids: readonly string[]) {
    const attempts = ids.map((id) => this.#take(id));
    for (const attempt of attempts) attempt?.stop(failure('aborted'));
    this.#pump();
  }

  ids() {
    return [...this.#entries.keys()];
  }

  /** True while files are uploaded or wait for it. */
  get busy() {
    return this.#entries.size > 0 && !this.#blocked;
  }

  totals(): UploadTotals {
    return this.#counter.totals();
  }

  /** Resolves when the queue is empty or blocked. */
  idle(): Promise<void> {
    if (!this.busy) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.add(resolve));
  }

  dispose() {
    this.#stopListening();
    this.#nextTry.cancel();
    for (const id of this.ids()) this.#take(id)?.stop(failure('aborted'));
  }

  /** Starts as many uploads as may run now, and plans the next retry. */
  #pump() {
    const { env, limits, isOpen } = this.#deps;
    const { concurrency } = limits();
    // A comparison, so that NaN allows one upload at a time.
    const limit = Math.min(isOpen() && concurrency > 1 ? concurrency : 1, this.#most);
    const stopped = this.paused || this.#blocked || !env.online.isOnline();
    let active = this.#running();
    let next = Number.POSITIVE_INFINITY;
    for (const entry of [...this.#entries.values()]) {
      if (entry.attempt) continue;
      if (!stopped && active < limit && entry.due <= env.now()) {
        active += 1;
        this.#start(entry);
      } else {
        this.#showReason(entry);
        if (entry.due > env.now()) next = Math.min(next, entry.due);
      }
    }
    this.#nextTry.cancel();
    if (!stopped && next < Number.POSITIVE_INFINITY) this.#nextTry.schedule(next - env.now());
    if (this.#entries.size === 0 && !this.#idle) {
      this.#idle = true;
      this.#deps.onIdle();
    }
    if (this.busy) return;
    for (const resolve of this.#waiters) resolve();
    this.#waiters.clear();
  }

  #showReason(entry: Entry) {
    const { env, patch } = this.#deps;
    let reason: WaitReason | null = entry.due > env.now() ? 'retry' : null;
    if (!env.online.isOnline()) reason = 'offline';
    if (this.paused) reason = 'paused';
    // Hundreds of files may wait: only changes are written.
    if (reason !== entry.reason) patch(entry.id, { waiting: reason });
    entry.reason = reason;
  }

  /** Stops the running tries; their files stay in the queue. */
  #stopAll() {
    for (const { attempt } of [...this.#entries.values()]) attempt?.stop(failure('aborted'));
  }

  #start(entry: Entry) {
    const { id } = entry;
    const { env, limits, patch, send, onProgress } = this.#deps;
    entry.tries += 1;
    entry.most = this.#most;
    entry.reason = null;
    entry.attempt = createAttempt(env, limits().stallTimeout, (failed) => {
      entry.attempt = null;
      if (failed) this.#fail(entry, failed);
      else this.#end(id, 'done');
      this.#pump();
    });
    patch(id, { status: 'uploading', progress: 0, step: null, waiting: null, tries: entry.tries, error: null });
    entry.attempt.start(
      (options) => send(id, options),
      (loaded, total) => {
        const progress = total > 0 ? loaded / total : 0;
        this.#counter.setFraction(id, progress);
        patch(id, { progress }, true);
        onProgress(id, loaded, total);
      },
    );
  }

  #fail(entry: Entry, { cause, stopped }: AttemptFailure) {
    const { id } = entry;
    const { env, limits, patch, onBlocked, onFailed } = this.#deps;
    const error = toOptimizerError(cause, (key) => key);
    this.#counter.setFraction(id, 0);
    patch(id, { status: 'queued', progress: 0 });
    if (isFatal(error.code)) {
      entry.tries = 0;
      this.#blocked = true;
      onBlocked(cause);
    } else if ((stopped && error.code === 'aborted') || (!env.online.isOnline() && error.status === null)) {
      // A pause or a lost connection does not count as a try.
      entry.tries -= 1;
    } else if ((error.code === 'timeout' || error.code === 'stalled') && this.#slowDown(entry)) {
      entry.tries -= 1;
    } else if (error.retryable && entry.tries < limits().retries) {
      const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (entry.tries - 1)) * (0.5 + env.random());
      entry.due = env.now() + Math.max(delay, requestedDelay(cause));
    } else {
      this.#end(id, 'failed');
      onFailed(id, cause);
    }
  }

  /** Halves the uploads at a time, once for all that timed out together. False if the file was the only one. */
  #slowDown({ most }: Entry): boolean {
    const others = this.#running();
    if (most === this.#most) {
      if (others === 0) return false;
      this.#most = Math.floor((others + 1) / 2);
    }
    return true;
  }

  #running(): number {
    return [...this.#entries.values()].filter(({ attempt }) => attempt).length;
  }

  #end(id: string, state: 'done' | 'failed') {
    this.#entries.delete(id);
    this.#counter.end(id, state);
  }

  /** Removes an entry and returns its running try. */
  #take(id: string) {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    this.#counter.remove(id);
    return entry?.attempt;
  }
}
