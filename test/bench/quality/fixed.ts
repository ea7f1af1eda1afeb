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
 * Finds the lowest number with which all images score at least `worst`: each image raises the number as far as it needs, by halving
 * intervals. Higher numbers are taken to score higher.
 * @param measure encodes and judges an image
 */
export async function findBestFixed(
  count: number,
  worst: number,
  start: number,
  measure: (image: number, number: number) => Promise<Fixed>,
): Promise<BestFixed> {
  const needs: number[] = [];
  let number = 1;
  let reaches = true;
  for (let image = 0; image < count; image += 1) {
    const first = Math.max(number, needs.length === 0 ? start : number);
    if (first > 1 && (await measure(image, first)).judged >= worst) {
      if (needs.length > 0) {
        needs.push(number);
        continue;
      }
      number = await lowestBetween(1, first, (one) => isEnough(image, one));
    } else {
      const top = (await measure(image, MOST)).judged >= worst;
      reaches &&= top;
      number = top ? await lowestBetween(first, MOST, (one) => isEnough(image, one)) : MOST;
    }
    needs.push(number);
  }
  const bytes: number[] = [];
  for (let image = 0; image < count; image += 1) bytes.push((await measure(image, number)).bytes);
  return { number, bytes, reaches };

  async function isEnough(image: number, one: number): Promise<boolean> {
    return (await measure(image, one)).judged >= worst;
  }
}

/** The lowest number above `low` for which it holds; it holds for `high`. */
async function lowestBetween(low: number, high: number, holds: (number: number) => Promise<boolean>): Promise<number> {
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
