import { FIT, type Fit, MIN_SIDE, PLANES } from './constants.ts';
import { comparePlanes, makePyramid } from './plain.ts';
import { type PlaneErrors, poolErrors } from './pool-errors.ts';

/** Pixels of an image: interleaved sRGB, 3 bytes a pixel, rows without padding. */
export interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
}

/** An original whose share of the work is done. */
export interface PreparedReference {
  /**
   * Scores a changed version of the original: 100 is identical, from 90 nobody sees a difference, below 50 everybody does; far
   * worse ones are below 0.
   * @throws RangeError if it has another size
   */
  score(distorted: Pixels): number;
}

/** Scores versions of images. */
export interface Scorer {
  /**
   * Does the original's share of the work.
   * @throws RangeError if a side is below 8 pixels, or `data` has another length than the size asks for
   */
  prepare(reference: Pixels): PreparedReference;
}

/** Prepares a scorer, once for a process. Only tests fit it differently. */
export async function createScorer(fit: Fit = FIT): Promise<Scorer> {
  return {
    prepare(reference) {
      checkPixels(reference);
      const { width, height } = reference;
      const originals = makePyramid(reference, fit);
      return {
        score(distorted) {
          checkPixels(distorted);
          if (distorted.width !== width || distorted.height !== height) {
            throw new RangeError(
              `Expected ${width} x ${height} pixels as in the original, got ${distorted.width} x ${distorted.height}`,
            );
          }
          const errors: PlaneErrors[][] = Array.from({ length: PLANES }, () => []);
          for (const [scale, planes] of makePyramid(distorted, fit).entries()) {
            for (const [index, plane] of planes.entries()) {
              const original = originals[scale]?.[index];
              if (original) errors[index]?.push(comparePlanes(original, plane));
            }
          }
          return poolErrors(errors, fit);
        },
      };
    },
  };
}

function checkPixels({ data, width, height }: Pixels): void {
  if (width < MIN_SIDE || height < MIN_SIDE) {
    throw new RangeError(`Expected an image of at least ${MIN_SIDE} x ${MIN_SIDE} pixels, got ${width} x ${height}`);
  }
  if (data.length !== width * height * 3) {
    throw new RangeError(`Expected ${width * height * 3} bytes for ${width} x ${height} pixels, got ${data.length}`);
  }
}
