import { type Counts, countItems, createSearch, showsIn } from './review/item-questions.ts';
import type { Item, ListFilter } from './types.ts';

/** Creates the lists and counts of the store's items, which are computed when they are read. */
export function createItemViews(items: ReadonlyMap<string, Item>) {
  let filter: ListFilter = 'all';
  let query = '';
  /** Ids that the filter selected; null: all. */
  let shown: readonly string[] | null = null;
  let cache: { list?: readonly Item[]; visible?: readonly Item[]; counts?: Counts } = {};

  const list = () => {
    cache.list ??= [...items.values()];
    return cache.list;
  };
  const idsIn = (all: readonly Item[]) => {
    const matches = createSearch(query);
    return all.flatMap((item) => (showsIn(item, filter) && matches(item) ? [item.id] : []));
  };

  return {
    get filter() {
      return filter;
    },
    get query() {
      return query;
    },
    list,
    visible() {
      if (!shown) return list();
      cache.visible ??= shown.map((id) => items.get(id)).filter((item) => item !== undefined);
      return cache.visible;
    },
    counts() {
      cache.counts ??= countItems(list());
      return cache.counts;
    },
    setFilter(next: ListFilter, words = query) {
      filter = next;
      query = words;
      shown = next === 'all' && !words.trim() ? null : idsIn(list());
    },
    /** Shows added items that fit the filter. */
    show(added: readonly Item[]) {
      if (shown) shown = [...shown, ...idsIn(added)];
    },
    /** Drops what was computed; after progress alone the counts stay. */
    outdate(progress: boolean) {
      cache = progress ? { counts: cache.counts } : {};
    },
  };
}
