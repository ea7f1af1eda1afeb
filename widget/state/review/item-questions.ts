import type { EditableField, Item, ListFilter } from '../types.ts';

/** A store to look items up in. */
interface Items {
  get(id: string): Item | undefined;
  list(): readonly Item[];
}

/** Returns the existing items with these ids. Default: all. */
export const itemsOf = (store: Items, ids?: readonly string[]): readonly Item[] =>
  ids?.flatMap((id) => store.get(id) ?? []) ?? store.list();

/** Fields that the review shows, in their order. */
export const EDITABLE_FIELDS = ['filename', 'title', 'alt', 'decorative'] as const satisfies EditableField[];

/** True when an alternative text is wanted and there is none. */
export const isMissingText = ({ metadata }: Item): boolean => !metadata.decorative && !metadata.alt;

/** True if the analysis requests a review and the item has none. */
export const wantsReview = ({ needsReview }: Item): boolean => needsReview.length > 0;

/** Fields whose value no user has written or accepted. */
export const unacceptedFields = ({ metadata, origins }: Item): EditableField[] =>
  EDITABLE_FIELDS.filter((field) => {
    const origin = origins[field];
    return origin !== undefined && origin !== 'user' && origin !== 'cms' && metadata[field] !== null;
  });

/** True when its export is up to date. */
export const isExported = ({ result, stale }: Item): boolean => result?.status === 'completed' && !stale;

/** True when an export would make something new of it. */
export const canExport = (item: Item): boolean =>
  item.imageId !== null && !isExported(item) && item.error?.code !== 'invalid_image';

/** Returns an uploaded item as requests of exports and samples name it. */
export const orderOf = ({ imageId, focalPoint }: Item) =>
  imageId ? [{ id: imageId, ...(focalPoint ? { focalPoint } : {}) }] : [];

/** True if leaving the page would lose its file or its texts. */
export const isUnsaved = ({ imageId, file, error, saving }: Item): boolean =>
  imageId ? saving !== 'saved' : file !== null && error?.retryable !== false;

/** True when the filter shows the row. */
export function showsIn(item: Item, filter: ListFilter): boolean {
  if (filter === 'missing') return isMissingText(item);
  if (filter === 'review') return wantsReview(item);
  return filter === 'all' || item.status === 'failed';
}

/** Folds case and accents. */
const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Returns a test for images whose names or texts have all words of `query`. */
export function createSearch(query: string): (item: Item) => boolean {
  const words = fold(query).split(/\s+/).filter(Boolean);
  return ({ relativePath, name, metadata: { filename, title, alt } }) => {
    const text = words.length > 0 ? fold([relativePath, name, filename, title, alt].join('\n')) : '';
    return words.every((word) => text.includes(word));
  };
}

/** Counts that toolbars show. */
export interface Counts {
  readonly total: number;
  /** At the server. */
  readonly uploaded: number;
  readonly failed: number;
  /** Without alternative text, and not decorative. */
  readonly missing: number;
  /** Uploaded images of `missing`. */
  readonly undescribed: number;
  /** Images whose texts the analysis marks for review. */
  readonly review: number;
  /** Images with a text that is not accepted yet. */
  readonly unaccepted: number;
  /** Uploaded images without a result for the present settings and texts. */
  readonly toExport: number;
  readonly exported: number;
  readonly selected: number;
}

export function countItems(items: readonly Item[]): Counts {
  const count = (fits: (item: Item) => boolean) => items.filter(fits).length;
  return {
    total: items.length,
    uploaded: count((item) => item.imageId !== null),
    failed: count((item) => item.status === 'failed'),
    missing: count(isMissingText),
    undescribed: count((item) => item.imageId !== null && isMissingText(item)),
    review: count(wantsReview),
    unaccepted: count((item) => unacceptedFields(item).length > 0),
    toExport: count(canExport),
    exported: count(isExported),
    selected: count(({ selected }) => selected),
  };
}
