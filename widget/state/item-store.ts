import { createDebounce } from './debounce.ts';
import type { Environment } from './environment.ts';
import { createListeners, type Listeners } from './listeners.ts';
import type { Counts, ItemStore } from './optimizer-interface.ts';
import { countItems, showsIn } from './review/item-questions.ts';
import type { Item, ListFilter } from './types.ts';

/** A frame: changes of one are told together. */
const FRAME_MS = 16;
/** Ten times a second. */
const PROGRESS_MS = 100;

/** The store as its owners see it. */
export interface MutableStore extends ItemStore {
  add(items: readonly Item[]): void;
  /** Takes the items out and returns those that were there. */
  remove(ids: readonly string[]): Item[];
  /** Replaces the snapshot; `progress`: nothing but progress changed, which can wait a little. */
  patch(id: string, changes: Partial<Item>, progress?: boolean): Item | undefined;
  byImageId(imageId: string): Item | undefined;
  readonly filter: ListFilter;
  /** Decides anew which rows are shown. */
  setFilter(filter: ListFilter): void;
  counts(): Counts;
  dispose(): void;
}

/** Keeps the items: a map of snapshots, with one subscription per row. `changed` is told of every change. */
export function createItemStore(env: Environment, changed: (progress: boolean) => void): MutableStore {
  const items = new Map<string, Item>();
  const byImage = new Map<string, string>();
  const listListeners = createListeners<[]>();
  const itemListeners = new Map<string, Listeners<[Item]>>();
  const urgent = new Set<string>();
  const calm = new Set<string>();
  let list: readonly Item[] | null = null;
  let shown: readonly string[] | null = null;
  let rows: readonly Item[] | null = null;
  let filter: ListFilter = 'all';
  let counts: Counts | null = null;
  let listChanged = false;

  const tell = (ids: Set<string>) => {
    const told = [...ids];
    ids.clear();
    for (const id of told) {
      const item = items.get(id);
      if (item) itemListeners.get(id)?.call(item);
    }
  };
  const urgentUpdate = createDebounce(env, () => {
    if (listChanged) {
      listChanged = false;
      listListeners.call();
    }
    tell(urgent);
  });
  const progressUpdate = createDebounce(env, () => tell(calm));

  function rowsChanged() {
    list = null;
    rows = null;
    counts = null;
    listChanged = true;
    urgentUpdate.schedule(FRAME_MS);
    changed(false);
  }

  const allItems = () => {
    list ??= [...items.values()];
    return list;
  };

  return {
    get size() {
      return items.size;
    },
    get filter() {
      return filter;
    },
    // Rows keep their places and read their own snapshot; the list itself need not change with them.
    list: allItems,
    visible() {
      if (!shown) return allItems();
      rows ??= shown.map((id) => items.get(id)).filter((item) => item !== undefined);
      return rows;
    },
    get: (id) => items.get(id),
    byImageId: (imageId) => items.get(byImage.get(imageId) ?? ''),
    subscribeList: listListeners.add,
    subscribeItem(id, listener) {
      let listeners = itemListeners.get(id);
      if (!listeners) {
        listeners = createListeners<[Item]>();
        itemListeners.set(id, listeners);
      }
      return listeners.add(listener);
    },
    add(added) {
      for (const item of added) {
        items.set(item.id, item);
        if (item.imageId) byImage.set(item.imageId, item.id);
      }
      const fitting = added.filter((item) => showsIn(item, filter)).map((item) => item.id);
      if (shown) shown = [...shown, ...fitting];
      rowsChanged();
    },
    remove(ids) {
      const removed = ids.map((id) => items.get(id)).filter((item) => item !== undefined);
      for (const { id, imageId } of removed) {
        items.delete(id);
        itemListeners.delete(id);
        if (imageId) byImage.delete(imageId);
      }
      if (removed.length > 0) rowsChanged();
      return removed;
    },
    patch(id, changes, progress = false) {
      const before = items.get(id);
      if (!before) return undefined;
      const after = { ...before, ...changes };
      items.set(id, after);
      if (after.imageId) byImage.set(after.imageId, id);
      list = null;
      rows = null;
      if (progress) {
        calm.add(id);
        progressUpdate.schedule(PROGRESS_MS);
      } else {
        counts = null;
        calm.delete(id);
        urgent.add(id);
        urgentUpdate.schedule(FRAME_MS);
      }
      changed(progress);
      return after;
    },
    setFilter(next) {
      filter = next;
      shown = next === 'all' ? null : allItems().flatMap((item) => (showsIn(item, next) ? [item.id] : []));
      rowsChanged();
    },
    counts() {
      counts ??= countItems(allItems());
      return counts;
    },
    dispose() {
      urgentUpdate.cancel();
      progressUpdate.cancel();
    },
  };
}
