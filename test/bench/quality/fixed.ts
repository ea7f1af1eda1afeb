import type { Preset } from '#contract/constants';
import type { JudgedFormat } from './runs.ts';

/** Bytes and score of one image with a fixed number. */
export interface Fixed {
  bytes: number;
  judged: number;
}

/** The lowest number with which all images reach a score. */
export interface BestFixed {
  number: number;
  /** Bytes by image, in the order given. */
  bytes: number[];
  /** False if some image does not reach the score with the highest number either. */
  reaches: boolean;
}

const MOST = 100;

/**
 * Finds the lowest number with which all images score at least `worst`: each image raises the number as far as it needs. Higher numbers
 * are taken to score higher.
 * @param measure encodes and judges an image
 */
export async function findBestFixed(
  count: number,
  worst: number,
  start: number,
  measure: (image: number, number: number) => Promise<Fixed>,
): Promise<BestFixed> {
  let number = Math.max(1, start);
  let reaches = true;
  for (let image = 0; image < count; image += 1) {
    const isEnough = async (one: number) => (await measure(image, one)).judged >= worst;
    if (await isEnough(number)) {
      if (image === 0) number = await lowestUpTo(number, isEnough);
    } else {
      const raised = await lowestAbove(number, isEnough);
      reaches &&= raised !== undefined;
      number = raised ?? MOST;
    }
  }
  const bytes: number[] = [];
  for (let image = 0; image < count; image += 1) bytes.push((await measure(image, number)).bytes);
  return { number, bytes, reaches };
}

type Holds = (number: number) => Promise<boolean>;

/** The lowest number for which it holds, looked for near `number`, for which it does. */
async function lowestUpTo(number: number, holds: Holds): Promise<number> {
  for (let step = 2, high = number; ; step *= 2) {
    const low = Math.max(1, number - step);
    if (low === 1 || !(await holds(low))) return lowestBetween(low, high, holds);
    high = low;
  }
}

/** The lowest number for which it holds, looked for near `number`, for which it does not. Undefined: it holds for none. */
async function lowestAbove(number: number, holds: Holds): Promise<number | undefined> {
  for (let step = 1, low = number; low < MOST; step *= 2) {
    const high = Math.min(MOST, number + step);
    if (await holds(high)) return lowestBetween(low, high, holds);
    low = high;
  }
  return undefined;
}

/** The lowest number above `low` for which it holds; it holds for `high`. */
async function lowestBetween(low: number, high: number, holds: Holds): Promise<number> {
  let [below, above] = [low, high];
  while (above - below > 1) {
    const middle = (below + above) >> 1;
    if (await holds(middle)) above = middle;
    else below = middle;
  }
  return above;
}

/** Identifies a measurement with a fixed number. */
export function fixedKey(image: string, format: JudgedFormat, preset: Preset, number: number): string {
  return [image, format, preset, number].join(':');
}
