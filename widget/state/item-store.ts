import type { Environment } from './environment.ts';
import { createItemUpdates } from './item-updates.ts';
import { createItemViews } from './item-views.ts';
import type { Unsubscribe } from './listeners.ts';
import type { Counts } from './review/item-questions.ts';
import type { Item, ListFilter } from './types.ts';

/** The images, readable and observable. */
export interface ItemStore {
  readonly size: number;
  /** Present snapshots of all items, in the order of adding. */
  list(): readonly Item[];
  /** The items of the filter. A row that no longer fits stays until `setFilter` is called again. */
  visible(): readonly Item[];
  get(id: string): Item | undefined;
  /** Called when rows come, go or change place; not when one of them changes. */
  subscribeList(listener: () => void): Unsubscribe;
  /** Called with the new snapshot, at most ten times a second while only progress changes. */
  subscribeItem(id: string, listener: (item: Item) => void): Unsubscribe;
}

/** The store with the methods that change it. */
export interface MutableStore extends ItemStore {
  add(items: readonly Item[]): void;
  /** Removes items and returns the existing ones. */
  remove(ids: readonly string[]): Item[];
  /** Replaces the snapshot. `progress`: only progress changed, so listeners are called less often. */
  patch(id: string, changes: Partial<Item>, progress?: boolean): Item | undefined;
  byImageId(imageId: string): Item | undefined;
  readonly filter: ListFilter;
  readonly query: string;
  /** Sets filter and search, and chooses the shown rows again. Images that are no longer shown are no longer selected. */
  setFilter(filter: ListFilter, query?: string): void;
  select(ids: readonly string[], selected: boolean): void;
  counts(): Counts;
  dispose(): void;
}

/** Creates the store: snapshots of items by id. `changed` is called after every change. */
export function createItemStore(env: Environment, changed: (progress: boolean) => void): MutableStore {
  const items = new Map<string, Item>();
  const byImage = new Map<string, string>();
  const updates = createItemUpdates(env, items, changed);
  const views = createItemViews(items);

  function rowsChanged() {
    views.outdate(false);
    updates.listChanged();
  }

  const store: MutableStore = {
    get size() {
      return items.size;
    },
    get filter() {
      return views.filter;
    },
    get query() {
      return views.query;
    },
    list: views.list,
    visible: views.visible,
    counts: views.counts,
    get: (id) => items.get(id),
    byImageId: (imageId) => items.get(byImage.get(imageId) ?? ''),
    subscribeList: updates.subscribeList,
    subscribeItem: updates.subscribeItem,
    add(added) {
      for (const item of added) {
        items.set(item.id, item);
        if (item.imageId) byImage.set(item.imageId, item.id);
      }
      views.show(added);
      rowsChanged();
    },
    remove(ids) {
      const removed = ids.map((id) => items.get(id)).filter((item) => item !== undefined);
      for (const { id, imageId } of removed) {
        items.delete(id);
        updates.forget(id);
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
      views.outdate(progress);
      updates.itemChanged(id, progress);
      return after;
    },
    setFilter(filter, query) {
      views.setFilter(filter, query);
      rowsChanged();
      const shown = new Set(views.visible());
      store.select(
        views.list().flatMap((item) => (item.selected && !shown.has(item) ? [item.id] : [])),
        false,
      );
    },
    select(ids, selected) {
      for (const id of ids) if (items.get(id)?.selected === !selected) store.patch(id, { selected });
    },
    dispose: updates.dispose,
  };
  return store;
}
