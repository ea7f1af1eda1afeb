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

/** Brightness in 1/256 steps, of grey or sRGB. */
function lumaAt({ data, channels }: Pixels, pixel: number): number {
  const at = pixel * channels;
  if (channels === 1) return (data[at] ?? 0) * 256;
  return 77 * (data[at] ?? 0) + 150 * (data[at + 1] ?? 0) + 29 * (data[at + 2] ?? 0);
}

/** Measures an image of one frame in a few milliseconds; every second row counts. */
export function measureTraits(pixels: Pixels): Traits {
  const { width, height } = pixels;
  let [equal, detail, noise, count] = [0, 0, 0, 0];
  for (let y = 0; y < height; y += 2) {
    const below = y + 1 < height ? width : 0;
    for (let x = 1; x + 1 < width; x += 1) {
      const at = y * width + x;
      const here = lumaAt(pixels, at);
      const left = lumaAt(pixels, at - 1);
      const right = lumaAt(pixels, at + 1);
      if (here === left) equal += 1;
      detail += Math.abs(here - left) + Math.abs(here - lumaAt(pixels, at + below));
      noise += Math.abs(2 * here - left - right);
      count += 1;
    }
  }
  const mean = (sum: number, steps: number) => Math.log2(1 + sum / 256 / (steps * Math.max(1, count)));
  return {
    flatness: equal / Math.max(1, count),
    detail: mean(detail, 2),
    noise: mean(noise, 2),
    chroma: chromaLoss(pixels),
  };
}

function chromaLoss({ data, width, height, channels }: Pixels): number {
  if (channels === 1) return 0;
  let [sum, count] = [0, 0];
  for (let y = 0; y + 1 < height; y += 4) {
    for (let x = 0; x + 1 < width; x += 2) {
      const at = (y * width + x) * channels;
      const corners = [at, at + channels, at + width * channels, at + (width + 1) * channels];
      // The fourth power, as the score has it: a few coloured edges are seen, however large the plain rest is.
      sum += spread(data, corners, 0) ** 4 + spread(data, corners, 2) ** 4;
      count += 2;
    }
  }
  return Math.log2(1 + (sum / Math.max(1, count)) ** 0.25);
}

/** Mean distance of red or blue from green, of four pixels, from their common mean. */
function spread(data: Buffer, corners: number[], channel: 0 | 2): number {
  let [total, distance] = [0, 0];
  for (const at of corners) total += (data[at + channel] ?? 0) - (data[at + 1] ?? 0);
  for (const at of corners) distance += Math.abs((data[at + channel] ?? 0) - (data[at + 1] ?? 0) - total / 4);
  return distance / 4;
}
