import type { ItemMetadata, Settings } from '../types.ts';

/** Data that a page may store to restore the widget; the images are on the server, under `sessionId`. */
export interface SavedState {
  readonly version: 1;
  readonly sessionId: string | null;
  readonly settings: Settings;
  /** Edits that had not reached the server, by image id. */
  readonly edits: { readonly [imageId: string]: Partial<ItemMetadata> };
  /** Image ids as the list has them: the server has them as they arrived. */
  readonly order: readonly string[];
  /** Images that were removed here; the server still has them. */
  readonly removed: readonly string[];
}
