import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { AppError, isDatabaseAway, StoreAwayError } from './errors.ts';

/** State of a shared call. */
export interface SharedCall {
  /** Aborts when no caller has waited for as long as allowed. */
  signal: AbortSignal;
  /** False while no caller waits. */
  hasCaller: () => boolean;
}

interface RunningCall<T> {
  result: Promise<T>;
  waiting: number;
  abort: AbortController;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Shares one running call per key between all callers that ask for the key meanwhile. A caller leaves when its signal aborts; a
 * call without a waiting caller is aborted after `idleMs`, unless another caller asks. A settled call is forgotten, so that the
 * next caller starts a new one.
 */
export function shareCalls<K, T>(idleMs: number) {
  const running = new Map<K, RunningCall<T>>();
  return async (key: K, caller: AbortSignal, call: (shared: SharedCall) => Promise<T>): Promise<T> => {
    const known = running.get(key) ?? startCall(call, () => running.delete(key));
    running.set(key, known);
    clearTimeout(known.timer);
    known.waiting += 1;
    try {
      return await withAbort(known.result, caller);
    } finally {
      known.waiting -= 1;
      const stop = () => known.abort.abort(new Error('all callers have left'));
      if (known.waiting === 0 && running.get(key) === known) known.timer = setTimeout(stop, idleMs).unref();
    }
  };
}

function startCall<T>(call: (shared: SharedCall) => Promise<T>, settled: () => void): RunningCall<T> {
  const abort = new AbortController();
  const started: RunningCall<T> = { result: Promise.resolve() as never, waiting: 0, abort, timer: undefined };
  started.result = call({ signal: abort.signal, hasCaller: () => started.waiting > 0 }).finally(() => {
    clearTimeout(started.timer);
    settled();
  });
  started.result.catch(() => {});
  return started;
}

/**
 * Waits for `work` until the signal aborts. The work itself continues; its later outcome is ignored. Leaves no listener
 * on the signal.
 * @throws the signal's reason, or the error of `work`
 */
export async function withAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    // The abort comes first: an aborted signal wins over work that has settled already.
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Waits for `work`, at most `mostMs` milliseconds. The work itself continues. @throws the error of `work`, if it fails meanwhile */
export async function waitAtMost(mostMs: number, work: Promise<unknown> | undefined): Promise<void> {
  const waited = new AbortController();
  try {
    await Promise.race([work, sleep(mostMs, undefined, { signal: waited.signal }).catch(() => {})]);
  } finally {
    waited.abort();
  }
}

/** Runs the work of one key in order, at most `atOnce` at a time. `queues` has an entry only while the key has work. */
export function inTurn<T>(
  queues: Map<string, LimitFunction>,
  key: string,
  work: () => Promise<T>,
  atOnce = 1,
): Promise<T> {
  const queue = queues.get(key) ?? pLimit(atOnce);
  queues.set(key, queue);
  return queue(async () => {
    try {
      return await work();
    } finally {
      if (queue.pendingCount === 0 && queue.activeCount === 1) queues.delete(key);
    }
  });
}

/**
 * Repeats work that failed, after the wait that `waitAfter` returns for the error and the number of failures so far, in
 * milliseconds; undefined: the error is final.
 * @param signal ends a wait; the work is tried once more then
 * @throws the error that is final
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  waitAfter: (error: unknown, failures: number) => number | undefined,
  signal?: AbortSignal,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      const waitMs = waitAfter(error, failures);
      if (waitMs === undefined) throw error;
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** Returns the wait after a number of failures, in milliseconds: `firstMs`, each `factor` times the one before, at most `mostMs`. */
export function backOff(failures: number, { firstMs, factor = 2, mostMs = Number.POSITIVE_INFINITY }: BackOff): number {
  return Math.min(firstMs * factor ** (failures - 1), mostMs);
}

interface BackOff {
  firstMs: number;
  /** @default 2 */
  factor?: number;
  mostMs?: number;
}

const WAITS = { firstMs: 200, mostMs: 2000 };

/**
 * Repeats work that may be repeated until database and files respond again, so that a running job waits instead of failing.
 * @throws what the work throws, unless it is an outage; the outage itself when the signal aborts meanwhile
 */
export function outlastOutage<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return withRetries(
    work,
    (error, failures) => {
      const isOutage = isDatabaseAway(error) || error instanceof StoreAwayError;
      return isOutage && !signal?.aborted ? backOff(failures, WAITS) : undefined;
    },
    signal,
  );
}

/** Something of which an account or a session may have a limited number. */
export interface LimitedThing<T> {
  /** @throws AppError if there are as many as are allowed */
  requireRoom: () => Promise<void>;
  /** Stores it. */
  add: () => Promise<T>;
  /** Returns true if there are more than are allowed. */
  isOver: () => Promise<boolean>;
  /** Removes it. */
  undo: (added: T) => Promise<void>;
}

/** Attempts of servers that add at the same moment. */
const ADD_ATTEMPTS = 8;
/** Longest wait before the second attempt, in milliseconds. */
const ADD_WAIT_MS = 20;

/**
 * Adds something that is counted before it is added, and counts once more afterwards: another server may have added at the same
 * moment. Whoever sees too many removes its own and tries again, so never more remain than are allowed.
 * @throws AppError of `requireRoom`; overloaded if servers stay in each other's way
 */
export async function addWithinLimit<T>({ requireRoom, add, isOver, undo }: LimitedThing<T>): Promise<T> {
  for (let attempt = 1; attempt <= ADD_ATTEMPTS; attempt += 1) {
    await requireRoom();
    const added = await add();
    if (!(await isOver())) return added;
    await undo(added);
    // By chance, so that two servers do not meet again.
    await sleep(Math.random() * ADD_WAIT_MS * attempt);
  }
  throw new AppError('overloaded', 'Several requests add at this moment; try again', {
    headers: { 'Retry-After': '1' },
  });
}
