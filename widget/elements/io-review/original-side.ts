import type { Item, Optimizer } from '../../state/index.ts';
import type { CompareSide } from '../io-compare/index.ts';

/** Width of the preview shown if the browser cannot decode the original or does not have it, in pixels. */
const PREVIEW_WIDTH = 2048;

/** Returns the original of an image: the picked file, else a preview of the service. */
export function originalOf(optimizer: Optimizer, { id, file, image, size }: Item): CompareSide {
  return {
    blob: async () => file ?? Promise.reject(new Error('the file is not available after a reload')),
    fallback: () => optimizer.preview(id, PREVIEW_WIDTH),
    size: image?.size ?? size,
    width: image?.width ?? null,
    height: image?.height ?? null,
    format: image?.format ?? '',
  };
}
