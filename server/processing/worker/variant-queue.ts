import { isFullSize, type VariantSpec, variantSize } from '../shared/variants.ts';

/** Time of decoding a file, relative to rendering widths of as many pixels. */
const DECODING_SHARE = 1 / 5;

/** The variants of one render in order; queued ones can be yielded to another process. */
export interface VariantQueue<V extends VariantSpec> {
  /** Returns the next variant; undefined if the queue is empty. */
  next(): V | undefined;
  /**
   * Removes and returns the variants that another process, which decodes the file again, should render so that both end at
   * the same time. Empty if this process alone is faster.
   */
  yield(): V[];
}

/**
 * Creates the queue of a render.
 * @param source width and height of the image
 * @param fullSizeCost encoding time per pixel of the full size, relative to a resized pixel. @default 1
 */
export function createVariantQueue<V extends VariantSpec>(
  source: { width: number; height: number },
  variants: V[],
  fullSizeCost = 1,
): VariantQueue<V> {
  const waiting = [...variants];
  let making: V | undefined;

  function cost(variant: V): number {
    const { width, height } = variantSize(source, variant);
    return width * height * (isFullSize(source, variant) ? fullSizeCost : 1);
  }

  return {
    next() {
      making = waiting.shift();
      return making;
    },
    yield() {
      // The file is being decoded; the first variant is not yielded.
      const [first, ...others] = making ? [undefined, ...waiting] : waiting;
      // On average half of the current variant remains.
      let mine = making ? cost(making) / 2 : first ? cost(first) : 0;
      let theirs = source.width * source.height * DECODING_SHARE;
      const given = new Set<V>();
      const rest = others.filter((variant) => variant !== undefined);
      for (const variant of rest.toSorted((one, other) => cost(other) - cost(one))) {
        if (theirs < mine) {
          theirs += cost(variant);
          given.add(variant);
        } else {
          mine += cost(variant);
        }
      }
      const yielded = waiting.filter((variant) => given.has(variant));
      waiting.splice(0, waiting.length, ...waiting.filter((variant) => !given.has(variant)));
      return yielded;
    },
  };
}
