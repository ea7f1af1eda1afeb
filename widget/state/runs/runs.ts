import type { CancelReason } from '../../../plugin-bridge/batch/index.ts';
import type { Core } from '../core.ts';
import { isFatal } from '../errors.ts';
import type { OptimizerError, Phase, Progress } from '../types.ts';

/** Name of a run. */
export type RunName = 'analyzing' | 'sampling' | 'exporting';

/** Runs of the element, one at a time. */
export interface Runs {
  readonly current: RunName | null;
  readonly progress: Progress | null;
  /** True from a cancel until the final state of the job is known. */
  readonly cancelling: boolean;
  setProgress(progress: Progress): void;
  /** Runs the task after those before it. Null: it was cancelled before it began. */
  start<Value>(name: RunName, task: (signal: AbortSignal) => Promise<Value>): Promise<Value | null>;
  /** Cancels the current run and those that wait. */
  cancel(): void;
  /** Reports and shows an error of a run; an error that blocks every request is kept. */
  fail(cause: unknown, phase: Phase, actions?: ('retry' | 'export-first' | 'check-cost')[]): OptimizerError;
  /** Stops listening; jobs continue at the service. */
  leave(): void;
}

/** Creates the runs of an element. */
export function createRuns(core: Core): Runs {
  let turn: Promise<unknown> = Promise.resolve();
  let controller = new AbortController();
  let current: RunName | null = null;
  let progress: Progress | null = null;
  let cancelling = false;

  function stop(reason?: CancelReason) {
    controller.abort(reason);
    controller = new AbortController();
  }

  const runs: Runs = {
    get current() {
      return current;
    },
    get progress() {
      return progress;
    },
    get cancelling() {
      return cancelling;
    },
    setProgress(next) {
      progress = next;
      core.touch(true);
    },
    start(name, task) {
      const { signal } = controller;
      const run = async () => {
        if (signal.aborted) return null;
        current = name;
        core.blocked = null;
        core.touch();
        try {
          return await task(signal);
        } finally {
          current = null;
          progress = null;
          if (cancelling) core.announcer.say('cancel', core.t('announce.cancelled'));
          cancelling = false;
          core.touch();
        }
      };
      const outcome = turn.then(run);
      turn = outcome.catch(() => {});
      return outcome;
    },
    cancel() {
      cancelling = current !== null;
      stop('cancel');
      core.touch();
    },
    leave: () => stop(),
    fail(cause, phase, actions) {
      const error = core.report(cause, phase);
      if (error.code === 'aborted') return error;
      cancelling = false;
      if (isFatal(error.code)) core.blocked = error;
      core.notices.fail(error, phase, actions);
      core.announcer.say('error', error.message, { assertive: true, delay: 0 });
      core.touch();
      return error;
    },
  };
  return runs;
}
