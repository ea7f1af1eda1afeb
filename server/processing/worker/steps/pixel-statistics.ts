import type { Pixels } from '../pixels.ts';

/** Statistics of sampled pixels that predict how well they compress. */
export interface PixelStatistics {
  /** Share of sampled pixels that equal their left neighbour: 0.0-0.35 photographs, above 0.8 flat art, text and 1-bit art. */
  flatness: number;
  /** Distinct colours of the sample, counted up to 4,097. */
  sampledColours: number;
}

const SAMPLED_ROWS = 128;
const COLOURS_COUNTED = 4097;

/**
 * Samples rows spread over the image, with all its frames, in a few milliseconds, independent of its size.
 * @param enough stops at more colours than this; the flatness then covers the rows read so far
 * @param mostRows largest number of rows
 */
export function sampleRows(pixels: Pixels, enough = COLOURS_COUNTED, mostRows = SAMPLED_ROWS): PixelStatistics {
  const { width } = pixels;
  const height = pixels.height * pixels.frames;
  const rows = Math.min(mostRows, height);
  const colours = new Set<number>();
  let equal = 0;
  for (let row = 0; row < rows; row += 1) {
    const y = Math.floor(((row + 0.5) * height) / rows);
    let previous = -1;
    for (let x = 0; x < width; x += 1) {
      const colour = colourAt(pixels, (y * width + x) * pixels.channels);
      if (colour === previous) equal += 1;
      else if (colours.size < COLOURS_COUNTED) colours.add(colour);
      previous = colour;
    }
    if (colours.size > enough) return { flatness: equal / ((row + 1) * width), sampledColours: colours.size };
  }
  return { flatness: equal / (rows * width), sampledColours: colours.size };
}

/** Counts all distinct colours; stops and returns Infinity above the limit. Fully transparent pixels count as one colour. */
export function countColours(pixels: Pixels, limit: number): number {
  const colours = new Set<number>();
  let previous = -1;
  for (let at = 0; at < pixels.data.length; at += pixels.channels) {
    const colour = colourAt(pixels, at);
    if (colour === previous) continue;
    previous = colour;
    colours.add(colour);
    if (colours.size > limit) return Number.POSITIVE_INFINITY;
  }
  return colours.size;
}

/** True if both images look the same: equal channels everywhere, except under full transparency. */
export function showsSame(a: Pixels, b: Pixels): boolean {
  const count = a.data.length / a.channels;
  if (b.data.length / b.channels !== count) return false;
  for (let index = 0; index < count; index += 1) {
    if (colourAt(a, index * a.channels) !== colourAt(b, index * b.channels)) return false;
  }
  return true;
}

/** Red, green, blue and alpha as one number, whatever the number of channels. */
function colourAt({ data, channels }: Pixels, at: number): number {
  const red = data[at] ?? 0;
  if (channels === 1) return red * 0x10101 + 0xff000000;
  const colour = red * 0x10000 + (data[at + 1] ?? 0) * 0x100 + (data[at + 2] ?? 0);
  if (channels === 3) return colour + 0xff000000;
  const alpha = data[at + 3] ?? 0;
  return alpha === 0 ? 0 : colour + alpha * 0x1000000;
}
