import { setTimeout as sleep } from 'node:timers/promises';
import { backOff, withAbort } from '../concurrency.ts';
import type { Failed } from './ask-model.ts';
import type { AnalysisConfig } from './config.ts';
import { CONSEQUENCES } from './failure-kinds.ts';
import type { VisionProvider } from './vision-provider.ts';

/** Reason for which the model is not there, and the probe that finds out when it is. */
export type Absence = Pick<Failed, 'reason' | 'retryAfterMs' | 'probe'>;

/** Waits for a model that is loading or restarting, for all images together. */
export interface ModelWatch {
  /** True for a failure after which the images wait. */
  isAwaited(failure: Pick<Failed, 'reason'>): boolean;
  /** Reports that the model is not there. Begins the wait, unless it runs. */
  missing(absence: Absence): void;
  /** Reports that the service responds; `proven`: with an answer. */
  there(proven: boolean): void;
  /** True while images wait. */
  isWaiting(): boolean;
  /**
   * Waits while the model is not there; `told` learns when a wait begins and ends. False if it did not come in time. A job that
   * has waited in vain does not wait again; another one does.
   */
  settled(job: string, signal: AbortSignal, told: (waits: boolean) => void): Promise<boolean>;
  /** Holds all questions but one until the model has answered, at most a second each. */
  inTurn<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T | 'again'>;
  close(): void;
}

interface WatchDeps {
  provider: Pick<VisionProvider, 'probe'>;
  config: Pick<AnalysisConfig, 'AI_TIMEOUT_MS' | 'AI_LOAD_TIMEOUT_MS'>;
}

/** Wait before the first probe, in milliseconds; it grows up to `MOST`, and between questions up to a part of the limit. */
const FIRST_MS = 500;
const MOST_MS = 2000;
const QUESTIONS_PER_LIMIT = 8;
const HEAD_START_MS = 1000;
const MOST_JOBS = 10_000;

interface State {
  readonly deps: WatchDeps;
  readonly closing: AbortController;
  readonly listeners: Set<(waits: boolean) => void>;
  /** Jobs that have waited in vain. */
  readonly disappointed: Set<string>;
  waiting: Promise<boolean> | null;
  /** Beginning of the absence; null: the model was there at last. */
  since: number | null;
  /** Questions that failed since then. */
  failures: number;
  proven: boolean;
  leader: Promise<unknown> | null;
}

/** Creates the wait for one service. */
export function createModelWatch(deps: WatchDeps): ModelWatch {
  const state: State = {
    ...{ deps, closing: new AbortController(), listeners: new Set(), disappointed: new Set() },
    ...{ waiting: null, since: null, failures: 0, proven: false, leader: null },
  };
  return {
    isAwaited: ({ reason }) => CONSEQUENCES[reason].next === 'wait',
    missing: (absence) => begin(state, absence),
    there(proven) {
      state.proven ||= proven;
      state.since = null;
      state.failures = 0;
      state.disappointed.clear();
    },
    isWaiting: () => state.waiting !== null,
    settled: (job, signal, told) => settled(state, job, signal, told),
    inTurn: (ask, signal) => inTurn(state, ask, signal),
    close: () => state.closing.abort(new Error('the service is stopping')),
  };
}

function begin(state: State, absence: Absence): void {
  state.proven = false;
  if (state.waiting) return;
  state.since ??= performance.now();
  state.failures += 1;
  const tell = (waits: boolean) => {
    for (const listener of state.listeners) listener(waits);
  };
  const waiting = untilThere(state, absence).finally(() => {
    state.waiting = null;
    tell(false);
  });
  state.waiting = waiting;
  tell(true);
}

/** Waits until the model may be there; false at the end of the time limit. */
async function untilThere(state: State, { reason, retryAfterMs, probe }: Absence): Promise<boolean> {
  const { deps, closing, since, failures } = state;
  const { AI_TIMEOUT_MS, AI_LOAD_TIMEOUT_MS } = deps.config;
  const limitMs = reason === 'loading' ? AI_LOAD_TIMEOUT_MS : AI_TIMEOUT_MS;
  const endsAt = (since ?? performance.now()) + limitMs;
  const pause = async (ms: number) => {
    await sleep(Math.max(0, Math.min(ms, endsAt - performance.now())), undefined, { signal: closing.signal }).catch(
      () => {},
    );
    return performance.now() < endsAt && !closing.signal.aborted;
  };
  const questionMs = (limitMs / QUESTIONS_PER_LIMIT) * failures;
  if (!probe || !deps.provider.probe) return pause(retryAfterMs ?? questionMs);
  // A service that accepts connections and drops questions is asked less and less often.
  if (!(await pause(retryAfterMs ?? backOff(failures, { firstMs: FIRST_MS, mostMs: questionMs })))) return false;
  for (;;) {
    const isThere = await deps.provider.probe(probe, closing.signal);
    if (isThere === null) return pause(questionMs);
    if (isThere) return true;
    if (!(await pause(MOST_MS / 2))) return false;
  }
}

async function settled(
  state: State,
  job: string,
  signal: AbortSignal,
  told: (waits: boolean) => void,
): Promise<boolean> {
  if (state.disappointed.has(job)) return false;
  if (!state.waiting) return true;
  told(true);
  state.listeners.add(told);
  try {
    while (state.waiting !== null) {
      if (await withAbort(state.waiting, signal)) continue;
      if (state.disappointed.size >= MOST_JOBS) state.disappointed.clear();
      state.disappointed.add(job);
      // The next job begins a wait of its own.
      state.since = null;
      state.failures = 0;
      return false;
    }
    return true;
  } finally {
    state.listeners.delete(told);
  }
}

async function inTurn<T>(state: State, ask: () => Promise<T>, signal: AbortSignal): Promise<T | 'again'> {
  if (!state.proven && state.leader) {
    const ahead = new AbortController();
    const lead = sleep(HEAD_START_MS, undefined, { signal: ahead.signal }).catch(() => {});
    await withAbort(Promise.race([state.leader, lead]), signal).finally(() => ahead.abort());
  }
  if (state.waiting) return 'again';
  const asked = ask();
  if (!state.proven && !state.leader) {
    const leader = asked
      .catch(() => {})
      .then(() => {
        if (state.leader === leader) state.leader = null;
      });
    state.leader = leader;
  }
  return asked;
}
