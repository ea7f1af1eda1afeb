import { variantSize } from './variant-size.ts';
import type { VariantSpec } from './variants.ts';

/** Decoding a file takes about as long as resizing and encoding a fifth of its pixels. */
const DECODING_SHARE = 1 / 5;

/** The variants of one render in the order in which they are made; another process may be given some that wait. */
export interface VariantQueue<V extends VariantSpec> {
  /** The next variant to make; undefined when none is left. */
  next(): V | undefined;
  /**
   * Takes out the variants that another process, which decodes the file once more, should make so that both end at the same
   * time. Empty when this one is sooner done alone.
   */
  leave(): V[];
}

/** Creates the queue of a render. @param source width and height of the image */
export function createVariantQueue<V extends VariantSpec>(
  source: { width: number; height: number },
  variants: V[],
): VariantQueue<V> {
  const waiting = [...variants];
  let making: V | undefined;

  function area(variant: V): number {
    const { width, height } = variantSize(source, variant);
    return width * height;
  }

  return {
    next() {
      making = waiting.shift();
      return making;
    },
    leave() {
      // Nothing begun: the file is being decoded, and the first variant stays here.
      const [first, ...others] = making ? [undefined, ...waiting] : waiting;
      // Of the one being made, half is to be expected.
      let mine = making ? area(making) / 2 : first ? area(first) : 0;
      let theirs = source.width * source.height * DECODING_SHARE;
      const given = new Set<V>();
      const rest = others.filter((variant) => variant !== undefined);
      for (const variant of rest.toSorted((one, other) => area(other) - area(one))) {
        if (theirs < mine) {
          theirs += area(variant);
          given.add(variant);
        } else {
          mine += area(variant);
        }
      }
      const left = waiting.filter((variant) => given.has(variant));
      waiting.splice(0, waiting.length, ...waiting.filter((variant) => !given.has(variant)));
      return left;
    },
  };
}
