import type { Core } from '../core.ts';
import type { Runs } from '../runs/runs.ts';
import type { Item } from '../types.ts';
import type { Persistence } from './persistence.ts';
import type { Rehydration } from './rehydrate.ts';
import type { SessionToRead } from './saved-types.ts';

/** Creates the attaching to sessions of the service. */
export function createAttachment(
  core: Core,
  runs: Runs,
  rehydration: Rehydration,
  { load }: Pick<Persistence, 'load'>,
) {
  const show = (items: Item[]) => items.length > 0 && core.emit('io-add', { items });
  return {
    /** `epoch`: that of the request. A session that is asked for later, or `clear`, replaces this one. */
    async attach(session: SessionToRead, epoch: number) {
      const { sessionId, saved } = session;
      core.notices.drop('error-attach');
      core.unread = null;
      const isOutdated = () => core.epoch !== epoch;
      try {
        const items = await rehydration.attach(sessionId, saved, isOutdated);
        if (isOutdated()) return;
        show(items);
        core.announcer.say('added', core.t('announce.attached', { count: items.length }));
      } catch (cause) {
        if (isOutdated()) return;
        const error = runs.fail(cause, 'attach');
        // After an expired session the next upload creates a new one.
        if (error.code === 'not_found') {
          const kept = saved ?? load(sessionId);
          return void show(kept ? rehydration.addLost(kept) : []);
        }
        core.blocked = error;
        core.unread = { ...session, cause };
      }
    },
  };
}
