// From sums of errors to a score.
import { type Fit, PLANES } from './layout.ts';

/** Mean, and fourth root of the mean of the fourth powers. */
export type Norms = readonly [mean: number, fourth: number];
/** Errors of one plane at one scale. */
export interface PlaneErrors {
  structure: Norms;
  /** Edges that the original does not have. */
  added: Norms;
  /** Edges of the original that are gone. */
  lost: Norms;
}

/**
 * Sums up the errors of each plane, from the largest scale to the smallest, to a score. Of images that are too small for all scales
 * the reference takes the weights without gaps, and so does this.
 */
export function poolErrors(errors: readonly (readonly PlaneErrors[])[], fit: Fit): number {
  let weight = 0;
  let sum = 0;
  for (let plane = 0; plane < PLANES; plane++) {
    for (const { structure, added, lost } of errors[plane] ?? []) {
      for (const norm of [0, 1] as const) {
        for (const error of [structure[norm], added[norm], lost[norm]]) sum += (fit.weights[weight++] ?? 0) * error;
      }
    }
  }
  const difference = fit.toDifference(sum);
  return difference > 0 ? 100 - 10 * difference ** fit.power : 100;
}

/** Sums of the errors of some lines, in the order of the kernel, and the pixels that they were summed over. */
interface Sums {
  sums: Float64Array;
  pixels: number;
}
/** Sums by plane and scale. */
export type Tally = Sums[][];

/** Starts to sum up the errors of an image. */
export function startTally(scales: number): Tally {
  return Array.from({ length: PLANES }, () =>
    Array.from({ length: scales }, () => ({ sums: new Float64Array(6), pixels: 0 })),
  );
}

/** Adds the errors of some lines. */
export function addErrors(tally: Tally, { plane, scale, sums, pixels }: Sums & { plane: number; scale: number }): void {
  const place = tally[plane]?.[scale];
  if (!place) return;
  place.pixels += pixels;
  for (const [index, value] of sums.entries()) place.sums[index] = (place.sums[index] ?? 0) + value;
}

/** Returns the norms of the errors that were summed up; 0 where there are none. */
export function errorsOf(tally: Tally): PlaneErrors[][] {
  return tally.map((scales) =>
    scales.map(({ sums, pixels }) => {
      const norms = (at: number): Norms =>
        pixels === 0 ? [0, 0] : [(sums[at] ?? 0) / pixels, ((sums[at + 1] ?? 0) / pixels) ** 0.25];
      return { structure: norms(0), added: norms(2), lost: norms(4) };
    }),
  );
}
