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

/** Returns a file that was chosen at the knee, with `reached`, `stopped` and the estimated bytes of a file that reaches the target. */
export function stoppedAtKnee(file: ScoredImage, target: number, growth: number): ScoredImage {
  if (file.score >= target - TOLERATED) return file;
  const estimatedBytes = Math.round(file.data.length * Math.exp(growth * (target - file.score)));
  return { ...file, reached: false, stopped: 'knee', estimatedBytes };
}
