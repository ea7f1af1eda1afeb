import type { MutableStore } from './item-store.ts';
import type { RunName } from './runs/runs.ts';
import type { ExportOutcome, OptimizerError, OptimizerState } from './types.ts';

/** Derives the state of the widget from the states of its parts. */
export function deriveState({
  store,
  run,
  uploading,
  blocked,
  outcome,
}: {
  store: Pick<MutableStore, 'size' | 'counts'>;
  run: RunName | null;
  uploading: boolean;
  blocked: OptimizerError | null;
  outcome: ExportOutcome | null;
}): OptimizerState {
  if (run) return run;
  if (blocked) return 'error';
  if (store.size === 0) return 'empty';
  if (uploading) return 'uploading';
  const { toExport, exported } = store.counts();
  return outcome || (exported > 0 && toExport === 0) ? 'done' : 'ready';
}
