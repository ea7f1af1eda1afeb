import { createDebounce } from './debounce.ts';
import type { Environment } from './environment.ts';
import { createListeners, type Listeners } from './listeners.ts';
import type { Item } from './types.ts';

/** Delay of change events, in milliseconds: the changes of a frame are passed on together. */
const FRAME_MS = 16;
/** Delay of progress events, in milliseconds. */
const PROGRESS_MS = 100;

/**
 * Creates the listeners of the list and of single items, which are called with the newest snapshots in `items`. `changed`
 * is called at once after every change.
 */
export function createItemUpdates(
  env: Environment,
  items: ReadonlyMap<string, Item>,
  changed: (progress: boolean) => void,
) {
  const listListeners = createListeners<[]>();
  const itemListeners = new Map<string, Listeners<[Item]>>();
  const urgent = new Set<string>();
  const progressed = new Set<string>();
  let listChanged = false;

  function notify(ids: Set<string>) {
    const all = [...ids];
    ids.clear();
    for (const id of all) {
      const item = items.get(id);
      if (item) itemListeners.get(id)?.call(item);
    }
  }
  const urgentUpdate = createDebounce(env, () => {
    if (listChanged) {
      listChanged = false;
      listListeners.call();
    }
    notify(urgent);
  });
  const progressUpdate = createDebounce(env, () => notify(progressed));

  return {
    subscribeList: listListeners.add,
    subscribeItem(id: string, listener: (item: Item) => void) {
      const listeners = itemListeners.get(id) ?? createListeners<[Item]>();
      itemListeners.set(id, listeners);
      return listeners.add(listener);
    },
    listChanged() {
      listChanged = true;
      urgentUpdate.schedule(FRAME_MS);
      changed(false);
    },
    itemChanged(id: string, progress: boolean) {
      if (progress) {
        progressed.add(id);
        progressUpdate.schedule(PROGRESS_MS);
      } else {
        progressed.delete(id);
        urgent.add(id);
        urgentUpdate.schedule(FRAME_MS);
      }
      changed(progress);
    },
    forget: (id: string) => itemListeners.delete(id),
    dispose() {
      urgentUpdate.cancel();
      progressUpdate.cancel();
    },
  };
}
