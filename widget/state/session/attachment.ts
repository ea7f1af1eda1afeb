import type { Core } from '../core.ts';
import type { Runs } from '../runs/runs.ts';
import type { Rehydration } from './rehydrate.ts';
import type { SavedState } from './saved-types.ts';

/** Creates the attaching to sessions of the service. */
export function createAttachment(core: Core, runs: Runs, rehydration: Rehydration) {
  let failed: { sessionId: string; saved?: SavedState } | null = null;
  return {
    /** The session that could not be read and that `retry` reads again. */
    get failed() {
      return failed;
    },
    async attach(sessionId: string, saved?: SavedState) {
      failed = null;
      const { epoch } = core;
      const isOutdated = () => core.epoch !== epoch;
      try {
        const items = await rehydration.attach(sessionId, saved, isOutdated);
        if (isOutdated()) return;
        if (items.length > 0) core.emit('io-add', { items });
        core.announcer.say('added', core.t('announce.attached', { count: items.length }));
      } catch (cause) {
        if (isOutdated()) return;
        const error = runs.fail(cause, 'attach');
        // After an expired session the next upload creates a new one.
        if (error.code === 'not_found') return;
        core.blocked = error;
        failed = { sessionId, saved };
      }
    },
  };
}
