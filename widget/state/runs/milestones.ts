import type { Core } from '../core.ts';
import type { Progress } from '../types.ts';

/** Name of the run in texts. */
type Name = Progress['phase'] | 'download';

/** Announces the quarters of a run, and its outcome at the end. */
export function createMilestones({ announcer, t }: Pick<Core, 'announcer' | 't'>, name: Name) {
  let announced = 0;
  const pending = { done: 0, failed: 0 };
  return {
    /** `fraction`: 0-1. The end is not a milestone: `end` announces the outcome. */
    tick(fraction: number) {
      const quarter = Math.min(3, Math.floor(fraction * 4 + 1e-9));
      if (quarter <= announced) return;
      announced = quarter;
      announcer.say('progress', t(`announce.progress.${name}`, { percent: quarter * 25 }), { delay: 0 });
    },
    end(done: number, failed: number) {
      announced = 0;
      announcer.drop('progress');
      const announce = (outcome: 'done' | 'failed', count: number) => {
        if (count === 0) return;
        // Runs that end before the announcement of the one before are announced as one.
        pending[outcome] += count;
        const text = () => {
          const sum = pending[outcome];
          pending[outcome] = 0;
          return t(outcome === 'done' ? `announce.done.${name}` : `notice.${name}_failed`, { count: sum });
        };
        announcer.say(`${outcome}-${name}`, text, { assertive: outcome === 'failed' });
      };
      announce('done', done);
      announce('failed', failed);
    },
  };
}
