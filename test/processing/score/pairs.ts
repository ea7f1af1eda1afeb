// Originals and changed versions of them, the same on every machine: no encoder has a part in them.
import sharp from 'sharp';
import type { Pixels } from '../../../server/processing/worker/score/index.ts';

const PHOTOS = new URL('../../fixtures/photos/', import.meta.url).pathname;

interface Region {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Parts of fixtures, with the way each is named in `reference-scores.json`. */
export const ORIGINALS = [
  { name: 'photo-nuthatch.jpg', left: 500, top: 400, width: 256, height: 256 },
  { name: 'photo-dandelion.jpg', left: 600, top: 300, width: 256, height: 256 },
  { name: 'photo-stream.jpg', left: 200, top: 200, width: 301, height: 203 },
  { name: 'screenshot-dashboard.png', left: 100, top: 100, width: 256, height: 256 },
  { name: 'art-flat-vector.png', left: 200, top: 200, width: 256, height: 256 },
  { name: 'art-gradient.png', left: 50, top: 50, width: 100, height: 63 },
  // Wide and flat: where the rounding of the reference counts.
  { name: 'screenshot-dashboard.png', left: 200, top: 300, width: 1600, height: 200 },
  { name: 'art-gradient.png', left: 300, top: 600, width: 2400, height: 120 },
  { name: 'photo-brushes.jpg', left: 0, top: 300, width: 1365, height: 200 },
] as const;

/** Whether a pair is of a photograph. */
export const isPhotograph = (key: string) => key.startsWith('photo-');

/** Reads a part of a fixture. */
export async function readOriginal({ name, ...region }: { name: string } & Region): Promise<Pixels> {
  const image = sharp(PHOTOS + name)
    .toColourspace('srgb')
    .flatten({ background: '#fff' })
    .extract(region);
  return { data: await image.raw().toBuffer(), width: region.width, height: region.height };
}

/** Ways to change an image, each with strengths. */
const CHANGES = {
  /** Adds noise of up to so many steps. */
  noise: { strengths: [2, 6, 20], change: addNoise },
  /** Mixes each block of 8 by 8 pixels with its mean, in eighths. */
  blocks: { strengths: [1, 3, 6], change: mixBlocks },
  /** Clears so many low bits. */
  levels: { strengths: [1, 3, 5], change: clearBits },
  /** Averages each pixel with the next ones of its line. */
  smear: { strengths: [1, 2, 4], change: smear },
} as const;

function addNoise({ data, width, height }: Pixels, steps: number): Pixels {
  let state = 1;
  const changed = data.map((value) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.min(255, Math.max(0, value + ((state >>> 16) % (2 * steps + 1)) - steps));
  });
  return { data: changed, width, height };
}

function mixBlocks({ data, width, height }: Pixels, eighths: number): Pixels {
  const changed = Uint8Array.from(data);
  for (let top = 0; top < height; top += 8) {
    for (let left = 0; left < width; left += 8) {
      for (let channel = 0; channel < 3; channel++) {
        const indices = [];
        for (let y = top; y < Math.min(top + 8, height); y++) {
          for (let x = left; x < Math.min(left + 8, width); x++) indices.push(3 * (y * width + x) + channel);
        }
        const mean = indices.reduce((sum, index) => sum + (data[index] ?? 0), 0) / indices.length;
        for (const index of indices)
          changed[index] = Math.round(((data[index] ?? 0) * (8 - eighths) + mean * eighths) / 8);
      }
    }
  }
  return { data: changed, width, height };
}

function clearBits({ data, width, height }: Pixels, bits: number): Pixels {
  return { data: data.map((value) => (value >> bits) << bits), width, height };
}

function smear({ data, width, height }: Pixels, reach: number): Pixels {
  const changed = data.map((_, index) => {
    let sum = 0;
    for (let step = 0; step <= reach; step++) {
      const inLine = Math.min(Math.floor(index / 3) % width, width - 1 - step);
      sum += data[index - (index % (3 * width)) + 3 * (inLine + step) + (index % 3)] ?? 0;
    }
    return sum / (reach + 1);
  });
  return { data: changed, width, height };
}

/** Yields each original with each of its changed versions, or the wanted ones. */
export async function* changedPairs(isWanted: (key: string) => boolean = () => true): AsyncGenerator<{
  key: string;
  original: Pixels;
  changed: Pixels;
}> {
  for (const part of ORIGINALS) {
    const original = await readOriginal(part);
    for (const [name, { strengths, change }] of Object.entries(CHANGES)) {
      for (const strength of strengths) {
        const key = `${part.name} ${part.width} ${name} ${strength}`;
        if (isWanted(key)) yield { key, original, changed: change(original, strength) };
      }
    }
  }
}
