import { type Fit, PLANES } from './constants.ts';

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
