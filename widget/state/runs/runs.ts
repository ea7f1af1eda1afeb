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
  /** Runs the task after the tasks started before it. Resolves with null if it is cancelled before it begins. */
  start<Value>(name: RunName, task: (signal: AbortSignal) => Promise<Value>): Promise<Value | null>;
  /** Cancels the current run and the waiting ones. */
  cancel(): void;
  /** Reports and shows an error of a run; an error that blocks every request is kept. */
  fail(
    cause: unknown,
    phase: Phase,
    actions?: ('retry' | 'export-first' | 'check-cost')[],
    ids?: readonly string[],
  ): OptimizerError;
  /** Stops listening; jobs continue at the service. */
  leave(): void;
}

/** Creates the runs of an element. */
export function createRuns(core: Core): Runs {
  let turn: Promise<unknown> = Promise.resolve();
  let controller = new AbortController();

  function stop(reason?: CancelReason) {
    controller.abort(reason);
    controller = new AbortController();
  }

  const runs: { -readonly [Name in keyof Runs]: Runs[Name] } = {
    current: null,
    progress: null,
    cancelling: false,
    setProgress(next) {
      runs.progress = next;
      core.touch(true);
    },
    start(name, task) {
      const { signal } = controller;
      const run = async () => {
        if (signal.aborted) return null;
        runs.current = name;
        core.blocked = null;
        core.touch();
        try {
          return await task(signal);
        } finally {
          runs.current = null;
          runs.progress = null;
          if (runs.cancelling) core.announcer.say('cancel', core.t('announce.cancelled'));
          runs.cancelling = false;
          core.touch();
        }
      };
      const outcome = turn.then(run);
      turn = outcome.catch(() => {});
      return outcome;
    },
    cancel() {
      runs.cancelling = runs.current !== null;
      stop('cancel');
      core.touch();
    },
    leave: () => stop(),
    fail(cause, phase, actions, ids) {
      const error = core.report(cause, phase, ids);
      if (error.code === 'aborted') return error;
      runs.cancelling = false;
      if (isFatal(error.code)) core.blocked = error;
      core.notices.fail(error, phase, actions);
      core.announcer.say('error', error.message, { assertive: true, delay: 0 });
      core.touch();
      return error;
    },
  };
  return runs;
}
