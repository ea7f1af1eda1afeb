import type { Item, Optimizer } from '../../state/index.ts';
import type { ComparePair } from '../io-compare/index.ts';

/** Width of the preview shown if the browser cannot decode the original or does not have it, in pixels. */
const PREVIEW_WIDTH = 2048;

/** Returns both sides of a comparison: the picked file, and the sample or result. Null: there is none. */
export function comparisonOf(optimizer: Optimizer, item: Item, kind: 'sample' | 'result'): ComparePair | null {
  const produced = item[kind];
  const full = produced?.variants.find(({ name }) => name === 'full');
  if (!produced || !full) return null;
  const { file } = item;
  return {
    id: item.id,
    name: item.name,
    original: {
      blob: async () => file ?? Promise.reject(new Error('the file is not available after a reload')),
      fallback: () => optimizer.preview(item.id, PREVIEW_WIDTH),
      ...produced.original,
    },
    result: {
      blob: () => optimizer.fetchResult(item.id, kind),
      size: full.size,
      width: full.width,
      height: full.height,
      format: produced.format,
      score: (produced.quality as { score?: number | null }).score,
    },
  };
}
