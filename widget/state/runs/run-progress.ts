import type { ProgressEvent } from '#contract';
import type { Core } from '../core.ts';
import { createThrottle } from '../debounce.ts';
import type { Item, Progress } from '../types.ts';
import { EVENT_GAP_MS } from '../uploads/uploading.ts';
import { createMilestones } from './milestones.ts';
import type { Runs } from './runs.ts';

/** Progress of an image at the beginning of each step, 0-1. Unknown steps count as half. */
const STEPS: { readonly [step: string]: number } = {
  queued: 0,
  load: 0.15,
  prepare: 0.2,
  optimize: 0.4,
  describe: 0.5,
  wait_for_model: 0.5,
  resize: 0.65,
  save: 0.9,
  done: 1,
};

/** Creates the progress of a run. Repeated events of an image count once. */
export function createRunProgress(
  core: Core,
  runs: Runs,
  { phase, status, total }: { phase: Exclude<Progress['phase'], 'upload'>; status: Item['status']; total: number },
) {
  const { store } = core;
  const parts = new Map<string, { share: number; failed: boolean }>();
  const isDue = createThrottle(core.env, EVENT_GAP_MS);
  const milestones = createMilestones(core, phase);
  let batch: { batch: number; batches: number } | undefined;

  function show(): Progress {
    const all = [...parts.values()];
    const failed = all.filter((part) => part.failed).length;
    const done = all.filter(({ share }) => share === 1).length;
    const whole = Math.max(total, all.length, 1);
    const fraction = all.reduce((sum, { share }) => sum + share, 0) / whole;
    const progress: Progress = { phase, done, total: whole, failed, fraction, ...batch };
    runs.setProgress(progress);
    milestones.tick(fraction);
    return progress;
  }
  show();

  return {
    setBatch(index: number, batches: number) {
      batch = { batch: index + 1, batches };
      show();
    },
    /** Takes an event over. `emits`: listeners should receive it; others come too soon after the last one. */
    take({ imageId, status: state, step }: ProgressEvent): { item: Item; progress: Progress; emits: boolean } | null {
      const item = store.byImageId(imageId);
      if (!item) return null;
      const isOver = state === 'completed' || state === 'failed';
      const share = isOver ? 1 : Math.max(parts.get(imageId)?.share ?? 0, STEPS[step] ?? 0.5);
      parts.set(imageId, { share, failed: state === 'failed' });
      const isFirst = item.status !== status;
      // The final status comes with the result.
      const changes = isFirst ? { status, error: null, step, progress: share } : { step, progress: share };
      const after = store.patch(item.id, changes, !isFirst) ?? item;
      return { item: after, progress: show(), emits: isOver || isDue(item.id) };
    },
    /** Announces the outcome. */
    end: milestones.end,
  };
}

/** Progress of a run. */
export type RunProgress = ReturnType<typeof createRunProgress>;
