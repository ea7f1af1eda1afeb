import type { Item, Optimizer } from '../../state/index.ts';
import { decodeSide } from '../decode-side.ts';
import { paint } from '../io-row/index.ts';
import { originalOf } from './original-side.ts';

/** Most pixels of a picture: twice a stage of 1,100 x 730, and 11 MB of memory. */
const MAX_PIXELS = 2_800_000;

/** Large pictures of the shown image and its neighbours, decoded ahead. */
export interface ReviewPictures {
  /** Returns the picture of an image; null if nothing can decode it. */
  of(item: Item): Promise<HTMLCanvasElement | null>;
  /** Decodes the pictures of these images and forgets all others. */
  keep(items: readonly Item[]): void;
}

/** Creates the pictures. Files are decoded here; the service has previews of the others. */
export function createReviewPictures(optimizer: Optimizer): ReviewPictures {
  const pictures = new Map<string, Promise<HTMLCanvasElement | null>>();
  const keyOf = ({ id, imageId, file }: Item) => `${id} ${file ? '' : imageId}`;

  async function decode(item: Item): Promise<HTMLCanvasElement | null> {
    try {
      return paint((await decodeSide(originalOf(optimizer, item), MAX_PIXELS)).bitmap);
    } catch {
      pictures.delete(keyOf(item));
      return null;
    }
  }
  function of(item: Item) {
    const key = keyOf(item);
    const picture = pictures.get(key) ?? decode(item);
    pictures.set(key, picture);
    return picture;
  }
  return {
    of,
    keep(items) {
      const wanted = new Set(items.map(keyOf));
      for (const key of pictures.keys()) if (!wanted.has(key)) pictures.delete(key);
      for (const item of items) void of(item);
    },
  };
}
