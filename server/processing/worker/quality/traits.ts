import type { Pixels } from '../pixels.ts';

/** Cheap properties of pixels that predict how an encoder fares with them; all but `flatness` as logarithms. */
export interface Traits {
  /** Share of pixels that equal their left neighbour. */
  flatness: number;
  /** Mean difference of neighbours. */
  detail: number;
  /** Mean difference of a pixel from the mean of its neighbours: grain, noise and fine lines. */
  noise: number;
  /** Loss of colour if four pixels share theirs; the largest losses count most. */
  chroma: number;
}

const ROW_STEP = 4;

/** Measures an image of one frame in a few milliseconds; every fourth row counts. */
export function measureTraits(pixels: Pixels): Traits {
  const { width, height } = pixels;
  const [row, next] = [new Int32Array(width), new Int32Array(width)];
  let [equal, detail, noise, count] = [0, 0, 0, 0];
  for (let y = 0; y < height; y += ROW_STEP) {
    readLuma(pixels, y, row);
    readLuma(pixels, Math.min(y + 1, height - 1), next);
    let left = row[0] ?? 0;
    let here = row[1] ?? 0;
    for (let x = 1; x + 1 < width; x += 1) {
      const right = row[x + 1] ?? 0;
      if (here === left) equal += 1;
      detail += Math.abs(here - left) + Math.abs(here - (next[x] ?? 0));
      noise += Math.abs(2 * here - left - right);
      left = here;
      here = right;
    }
    count += Math.max(0, width - 2);
  }
  const mean = (sum: number, steps: number) => Math.log2(1 + sum / 256 / (steps * Math.max(1, count)));
  return {
    flatness: equal / Math.max(1, count),
    detail: mean(detail, 2),
    noise: mean(noise, 2),
    chroma: chromaLoss(pixels),
  };
}

/** Reads the brightness of a row in 1/256 steps, of grey or sRGB. */
function readLuma({ data, width, channels }: Pixels, y: number, luma: Int32Array): void {
  for (let x = 0, at = y * width * channels; x < width; x += 1, at += channels) {
    const red = data[at] ?? 0;
    luma[x] = channels === 1 ? red * 256 : 77 * red + 150 * (data[at + 1] ?? 0) + 29 * (data[at + 2] ?? 0);
  }
}

function chromaLoss({ data, width, height, channels }: Pixels): number {
  if (channels === 1) return 0;
  const row = width * channels;
  let [sum, count] = [0, 0];
  for (let y = 0; y + 1 < height; y += ROW_STEP) {
    for (let x = 0; x + 1 < width; x += 2) {
      const at = (y * width + x) * channels;
      // The fourth power, as the score has it: a few coloured edges are seen, however large the plain rest is.
      sum += fourthPower(spread(data, at, channels, row, 0)) + fourthPower(spread(data, at, channels, row, 2));
      count += 2;
    }
  }
  return Math.log2(1 + (sum / Math.max(1, count)) ** 0.25 / 16);
}

/** Returns 16 times the mean deviation of four pixels from `at`: how far their red or blue minus green is from the mean of the four. */
function spread(data: Buffer, at: number, right: number, below: number, channel: 0 | 2): number {
  const one = difference(data, at, channel);
  const two = difference(data, at + right, channel);
  const three = difference(data, at + below, channel);
  const four = difference(data, at + below + right, channel);
  const sum = one + two + three + four;
  return Math.abs(4 * one - sum) + Math.abs(4 * two - sum) + Math.abs(4 * three - sum) + Math.abs(4 * four - sum);
}

function fourthPower(value: number): number {
  const square = value * value;
  return square * square;
}

function difference(data: Buffer, at: number, channel: 0 | 2): number {
  return (data[at + channel] ?? 0) - (data[at + 1] ?? 0);
}
