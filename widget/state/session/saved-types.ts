import type { Edits } from '../review/edits.ts';
import type { Item, Settings } from '../types.ts';

/** Texts of an image, and what its file is recognised by if it is added again. */
export type SavedItem = Pick<Item, 'imageId' | 'clientRef' | 'name' | 'relativePath' | 'size' | 'metadata' | 'origins'>;

/** Data that a page may store to restore the widget; the images are on the server, under `sessionId`. */
export interface SavedState {
  readonly version: 1;
  readonly sessionId: string | null;
  readonly settings: Settings;
  /** Edits that had not reached the server, by image id. */
  readonly edits: { readonly [imageId: string]: Edits };
  /** Image ids as the list has them: the server has them as they arrived. */
  readonly order: readonly string[];
  /** Images with texts, in case the service no longer has them. */
  readonly items?: readonly SavedItem[];
  /** Centres of crops, by image id. */
  readonly points?: { readonly [imageId: string]: Item['focalPoint'] };
  /** Images that were removed here; the server still has them. */
  readonly removed: readonly string[];
}

/** A session to be read, with what the page has kept of it. */
export interface SessionToRead {
  readonly sessionId: string;
  readonly saved?: SavedState | undefined;
}
