import type { ProgressEvent } from '#contract';
import type { Core } from './core.ts';
import { createMilestones } from './milestones.ts';
import type { Runs } from './runs.ts';
import { createPace } from './soon.ts';
import type { Item, Progress } from './types.ts';
import { EVENT_GAP_MS } from './uploading.ts';

/** How far an image is when a step begins. Steps that nobody knows yet count as half. */
const STEPS: { readonly [step: string]: number } = {
  queued: 0,
  load: 0.15,
  prepare: 0.2,
  optimize: 0.4,
  describe: 0.5,
  resize: 0.65,
  save: 0.9,
  done: 1,
};

/** Counts a run: every image once, whatever its events say how often. */
export function createTally(
  core: Core,
  runs: Runs,
  { phase, status, total }: { phase: Exclude<Progress['phase'], 'upload'>; status: Item['status']; total: number },
) {
  const { store } = core;
  const parts = new Map<string, { share: number; failed: boolean }>();
  const isTime = createPace(core.env, EVENT_GAP_MS);
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
    /** Takes an event over; the answer says whether listeners should hear of it. */
    take({ imageId, status: state, step }: ProgressEvent): { item: Item; progress: Progress; tell: boolean } | null {
      const item = store.byImageId(imageId);
      if (!item) return null;
      const over = state === 'completed' || state === 'failed';
      const share = over ? 1 : Math.max(parts.get(imageId)?.share ?? 0, STEPS[step] ?? 0.5);
      parts.set(imageId, { share, failed: state === 'failed' });
      const first = item.status !== status;
      // The final status comes with the result.
      const changes = first ? { status, error: null, step, progress: share } : { step, progress: share };
      const after = store.patch(item.id, changes, !first) ?? item;
      return { item: after, progress: show(), tell: over || isTime(item.id) };
    },
    /** Ends the announcements. */
    end: milestones.end,
  };
}
