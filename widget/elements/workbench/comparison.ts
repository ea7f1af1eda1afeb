import type { ImageResult } from '#contract';
import type { Item, Optimizer } from '../../state/index.ts';
import type { ComparePair, CompareSide, MeasuredQuality } from '../io-compare/index.ts';
import { originalOf } from '../io-review/index.ts';

/** Returns both sides of a comparison: the picked file, and the sample or result. `kept` has files of samples. Null: there is none. */
export function comparisonOf(
  optimizer: Optimizer,
  item: Item,
  kind: 'sample' | 'result',
  kept: (result: ImageResult) => Promise<Blob> | undefined,
): ComparePair | null {
  const produced = item[kind];
  const result = produced && resultSide(produced, () => kept(produced) ?? optimizer.fetchResult(item.id, kind));
  if (!result) return null;
  return {
    id: item.id,
    name: item.name,
    original: { ...originalOf(optimizer, item), ...produced.original },
    result,
  };
}

/** Returns the side of a sample or result; null if it has no file of the whole image. */
export function resultSide(produced: ImageResult, blob: () => Promise<Blob>): CompareSide | null {
  const full = produced.variants.find(({ name }) => name === 'full');
  return full ? { ...full, ...(produced.quality as MeasuredQuality), blob, format: produced.format } : null;
}
