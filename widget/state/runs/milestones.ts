import type { Core } from '../core.ts';
import type { Progress } from '../types.ts';

/** Name of the run in texts. */
type Name = Progress['phase'] | 'download';

/** Announces a run: its quarters on the way, its outcome at the end. */
export function createMilestones({ announcer, t }: Pick<Core, 'announcer' | 't'>, name: Name) {
  let told = 0;
  const unheard = { done: 0, failed: 0 };
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
      const tell = (outcome: 'done' | 'failed', count: number) => {
        if (count === 0) return;
        // Runs that follow each other faster than they are told are told as one.
        unheard[outcome] += count;
        const text = () => {
          const sum = unheard[outcome];
          unheard[outcome] = 0;
          return t(outcome === 'done' ? `announce.done.${name}` : `notice.${name}_failed`, { count: sum });
        };
        announcer.say(`${outcome}-${name}`, text, { assertive: outcome === 'failed' });
      };
      tell('done', done);
      tell('failed', failed);
    },
  };
}
