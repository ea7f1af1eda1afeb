import sharp from 'sharp';
import type { StoppedReason } from '#contract/constants';
import type { Pixels } from '../pixels.ts';
import type { PreparedReference, Pixels as Rgb, Scorer } from '../score/index.ts';
import type { EncodedImage } from '../steps/encode.ts';
import { sampleRows } from '../steps/pixel-statistics.ts';
import { cutTiles, type Layout } from './tiles.ts';
import { frameAt, midOf } from './timeline.ts';

/** Fewest pixels a side that the score is defined for; smaller images are continued by their edges. */
const LEAST_EDGE = 8;

/**
 * Pixels from which on the score is estimated from a part of the lines at the two finest scales: within 0.4 points of photographs, for half of
 * the time. Of 0.9 megapixels it would be up to 1.5 points off.
 */
const SAMPLED_PIXELS = 1_200_000;

/** Flatness from which on lines are too uneven for a part of them to tell the score: of art and screenshots. */
const MOST_FLATNESS = 0.25;
const ROWS_OF_FLATNESS = 32;

function isSampled(pixels: Pixels): boolean {
  if (pixels.width * pixels.height < SAMPLED_PIXELS) return false;
  return sampleRows(pixels, Number.POSITIVE_INFINITY, ROWS_OF_FLATNESS).flatness < MOST_FLATNESS;
}

/** A file with the score that was measured. */
export interface ScoredImage extends EncodedImage {
  score: number;
  /** False if the file stays below the preset's target. */
  reached: boolean;
  /** Reason why the file stays below its target; absent if it reaches it. */
  stopped?: StoppedReason;
  /** Bytes that a file with the target would have, estimated; of one that stopped at the knee. */
  estimatedBytes?: number;
}

/** Parts of an image that a version of it is scored by. */
export interface Sample {
  layout: Layout;
  /** The parts, put together into one image. */
  pixels: Pixels;
  /**
   * Scores a file of these pixels; `isWhole`: it was encoded from the whole image. The first call sets `lineWidth`, the pixels of a line that
   * the parts stand for. @default their own
   */
  score(file: Buffer, isWhole: boolean, lineWidth?: number): Promise<number>;
}

/**
 * Prepares the parts of an image to score versions by.
 * @param opaque true if the format has no transparency: what was transparent is white. Otherwise white and black are laid below the image,
 *   and the worse score counts.
 */
export function takeSample(scorer: Scorer, pixels: Pixels, layout: Layout, opaque: boolean): Sample {
  const parts = cutTiles(pixels, layout);
  const backgrounds = parts.channels === 4 && !opaque ? [255, 0] : [255];
  let references: PreparedReference[] | undefined;
  const frames = [...new Set(layout.tiles.map(({ frame }) => frame))];
  // Of large and even parts, some of their lines tell the score.
  const sampled = isSampled(parts);
  return {
    layout,
    pixels: parts,
    async score(file, isWhole, lineWidth) {
      const decoded = await decodeFrames(file, frames, isWhole ? pixels : parts);
      const tiles = layout.tiles.map((tile) => ({ ...tile, frame: frames.indexOf(tile.frame) }));
      const shown = isWhole ? cutTiles(decoded, { ...layout, tiles }) : decoded;
      references ??= backgrounds.map((background) => scorer.prepare(toRgb(parts, background), sampled, lineWidth));
      const scores = references.map((reference, index) => reference.score(toRgb(shown, backgrounds[index] ?? 255)));
      return Math.min(...scores);
    },
  };
}

/** Decodes what a file shows when some frames of an animation begin. */
async function decodeFrames(file: Buffer, frames: number[], animation: Pixels): Promise<Pixels> {
  const pages = animation.frames > 1 ? await pagesOf(file, frames, animation) : [undefined];
  const decoded: Pixels[] = [];
  for (const page of pages) {
    const { data, info } = await sharp(file, {
      limitInputPixels: false,
      ...(page === undefined ? {} : { page, pages: 1 }),
    })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    if (channels === 2) throw new Error('expected a decoder that makes three channels of grey with transparency');
    decoded.push({ data, width, height, channels, frames: 1 });
  }
  const [first] = decoded as [Pixels];
  return decoded.length === 1
    ? first
    : { ...first, data: Buffer.concat(decoded.map(({ data }) => data)), frames: decoded.length };
}

/** Finds the frames of a file that are shown in place of others: encoders merge equal ones, so that only times compare. */
async function pagesOf(file: Buffer, frames: number[], animation: Pixels): Promise<number[]> {
  const { pages = 1, delay } = await sharp(file, { limitInputPixels: false }).metadata();
  return pages === animation.frames ? frames : frames.map((frame) => frameAt(midOf(frame, animation), pages, delay));
}

/** Converts an image of one frame to sRGB without transparency. */
function toRgb(pixels: Pixels, background: number): Rgb {
  const { data, channels, width, height } = pixels;
  const rgb = channels === 3 ? data : channels === 1 ? tripled(data) : laidOn(data, background);
  return width < LEAST_EDGE || height < LEAST_EDGE
    ? continued({ data: rgb, width, height })
    : { data: rgb, width, height };
}

function tripled(grey: Buffer): Uint8Array {
  const rgb = new Uint8Array(grey.length * 3);
  for (let at = 0; at < grey.length; at += 1) rgb.fill(grey[at] ?? 0, at * 3, at * 3 + 3);
  return rgb;
}

function laidOn(rgba: Buffer, background: number): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    const alpha = rgba[from + 3] ?? 255;
    for (let channel = 0; channel < 3; channel += 1) {
      rgb[to + channel] = Math.round(((rgba[from + channel] ?? 0) * alpha + background * (255 - alpha)) / 255);
    }
  }
  return rgb;
}

/** Repeats the last row and column up to the least edge. */
function continued({ data, width, height }: Rgb): Rgb {
  const wide = Math.max(width, LEAST_EDGE);
  const high = Math.max(height, LEAST_EDGE);
  const rgb = new Uint8Array(wide * high * 3);
  for (let y = 0; y < high; y += 1) {
    for (let x = 0; x < wide; x += 1) {
      const from = (Math.min(y, height - 1) * width + Math.min(x, width - 1)) * 3;
      rgb.set(data.subarray(from, from + 3), (y * wide + x) * 3);
    }
  }
  return { data: rgb, width: wide, height: high };
}
