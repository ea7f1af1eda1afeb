import { flowActions, sessionActions, uploadActions } from './optimizer-actions.ts';
import type { Optimizer, OptimizerOptions } from './optimizer-interface.ts';
import { createParts, type OptimizerParts } from './optimizer-parts.ts';
import { createView } from './optimizer-view.ts';

/** Creates the flow of the widget. Sends no request, and listens to nothing of the page but its online state. */
export function createOptimizer(options: OptimizerOptions = {}): Optimizer {
  const parts = createParts(options);
  const actions = { ...uploadActions(parts), ...flowActions(parts), ...sessionActions(parts), ...pageActions(parts) };
  return Object.assign(createView(parts), actions);
}

type PageActions = Pick<
  Optimizer,
  | 'items'
  | 'subscribe'
  | 'on'
  | 'onAnnounce'
  | 'announce'
  | 'configure'
  | 'setFilter'
  | 'setQuery'
  | 'select'
  | 'setSettings'
  | 'dismiss'
  | 'dispose'
>;

/** Creates the methods that configure and observe. */
function pageActions(parts: OptimizerParts): PageActions {
  const { core, runs, settings, uploading } = parts;
  const { store, announcer } = core;
  const stopListening = core.env.online.subscribe(() => {
    announcer.say('online', () => core.t(core.env.online.isOnline() ? 'announce.online' : 'announce.offline'));
    core.touch();
  });
  return {
    items: store,
    subscribe: core.changes.add,
    on: core.events.add,
    onAnnounce: announcer.subscribe,
    announce: (text, urgency) => announcer.say(`page ${text}`, text, { assertive: urgency === 'assertive' }),
    configure(changed) {
      core.configure(changed);
      if (changed.settings) settings.set(changed.settings);
    },
    setFilter: (filter) => store.setFilter(filter),
    setQuery(query) {
      store.setFilter(store.filter, query);
      announcer.say('query', () => core.t('finder.shown', { count: store.visible().length }), { delay: 800 });
    },
    select: store.select,
    setSettings: settings.set,
    dismiss: core.notices.drop,
    dispose() {
      parts.disposed = true;
      stopListening();
      runs.leave();
      uploading.queue.dispose();
      parts.flow?.dispose();
      core.dispose();
    },
  };
}
