import type { ScoredImage } from './sample.ts';

/** Growth of a file for one more point of the score, as a share, beyond which a search stops below its target. */
const MOST_GROWTH = 0.12;
/** Numbers below the one that reaches the target at which a second file tells what the last points cost. */
export const STEP_BELOW = 6;
/** Points below the target up to which a file counts as one that reaches it. */
const TOLERATED = 0.5;

/**
 * Returns how much the logarithm of the bytes grows with a point of the score from one file to another with a higher number; undefined if a point
 * costs at most 12 %. Where the score does not rise, a point costs more than any file.
 */
export function kneeBetween(low: ScoredImage, high: ScoredImage): number | undefined {
  const points = high.score - low.score;
  const growth = Math.log(high.data.length / low.data.length);
  if (growth <= points * Math.log(1 + MOST_GROWTH)) return undefined;
  return points > 0.1 ? growth / points : growth * 10;
}

/** Cost of the last points of the score, and whether the format reaches the target. */
export interface Knee {
  /** Natural logarithm of the factor by which one more point of the score multiplies the bytes. */
  growth: number;
  /** True if the format cannot reach the target at all. */
  isBeyondFormat: boolean;
}

/**
 * Returns a file that was chosen at the knee, with `reached` and `stopped`, and with the estimated bytes of a file that reaches the target, if the
 * format has one.
 */
export function stoppedAtKnee(file: ScoredImage, target: number, { growth, isBeyondFormat }: Knee): ScoredImage {
  if (file.score >= target - TOLERATED) return file;
  if (isBeyondFormat) return { ...file, reached: false, stopped: 'format' };
  const estimatedBytes = Math.round(file.data.length * Math.exp(growth * (target - file.score)));
  return { ...file, reached: false, stopped: 'knee', estimatedBytes };
}

/**
 * Returns the first of the files that misses the target although the points of the next larger one cost too much. Undefined: there is none.
 * @param steep number from which on they may
 */
export function kneeOf(files: ScoredImage[], steep: number, target: number): ScoredImage | undefined {
  const sorted = [...files].sort((one, other) => one.data.length - other.data.length);
  for (const [place, low] of sorted.entries()) {
    const high = sorted[place + 1];
    if (!high || low.score >= target - TOLERATED) return undefined;
    const growth = Number(high.quality) < steep ? undefined : kneeBetween(low, high);
    if (growth !== undefined) return stoppedAtKnee(low, target, { growth, isBeyondFormat: !high.reached });
  }
  return undefined;
}
