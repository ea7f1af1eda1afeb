import type { Core } from './core.ts';
import type { Progress } from './types.ts';

/** What the run is called in texts. */
type Name = Progress['phase'];

/** Announces a run: its quarters on the way, its outcome at the end. */
export function createMilestones({ announcer, t }: Pick<Core, 'announcer' | 't'>, name: Name) {
  let told = 0;
  return {
    /** `fraction`: 0-1. The end is not a milestone: the outcome says it. */
    tick(fraction: number) {
      const quarter = Math.min(3, Math.floor(fraction * 4 + 1e-9));
      if (quarter <= told) return;
      told = quarter;
      announcer.say('progress', t(`announce.progress.${name}`, { percent: quarter * 25 }), { delay: 0 });
    },
    end(done: number, failed: number) {
      told = 0;
      announcer.drop('progress');
      if (done > 0) announcer.say(`end-${name}`, t(`announce.done.${name}`, { count: done }), { delay: 0 });
      if (failed > 0) {
        announcer.say(`failed-${name}`, t(`announce.failed.${name}`, { count: failed }), { assertive: true, delay: 0 });
      }
    },
  };
}
