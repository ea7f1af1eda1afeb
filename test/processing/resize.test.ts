import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EncodedFormat } from '#contract';
import type { VariantSpec } from '../../server/processing/shared/variants.ts';
import { chooseBeforeScaling, chooseQuality } from '../../server/processing/worker/encode-variant.ts';
import { openPixels, type Pixels } from '../../server/processing/worker/pixels.ts';
import { encodeScaled, encodeSmallest } from '../../server/processing/worker/steps/encode.ts';
import { type Pyramid, planScaling, scalePixels } from '../../server/processing/worker/steps/resize.ts';
import { type Harness, only, photo, startHarness } from './processor-harness.ts';

const PHOTOS = ['photo-mountains.jpg', 'photo-dogs-portrait.jpg', 'photo-brushes.jpg'];

async function load(file: string): Promise<Pixels> {
  const { data, info } = await sharp(photo(file))
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 3, frames: 1 };
}

async function resizePixels(pyramid: Pyramid, variant: VariantSpec): Promise<Pixels> {
  const scaling = await planScaling(pyramid, variant);
  if (!scaling) throw new Error('expected a smaller version');
  return scalePixels(scaling);
}

/** Scales the full pixels directly, in one pipeline of the library. */
async function resizeDirectly(full: Pixels, variant: VariantSpec): Promise<Buffer> {
  const { width = 0, height = Math.round((full.height * width) / full.width), fit } = variant;
  const image = openPixels(full).resize({
    ...{ width, height, fit: fit === 'cover' ? 'cover' : 'fill' },
    position: sharp.strategy.attention,
  });
  return image.raw().toBuffer();
}

/** Computes the peak signal to noise ratio in decibels; above 40 differences are invisible. */
function likeness(a: Uint8Array, b: Uint8Array): number {
  expect(a.length).toBe(b.length);
  let squares = 0;
  for (let at = 0; at < a.length; at += 1) squares += ((a[at] ?? 0) - (b[at] ?? 0)) ** 2;
  return 10 * Math.log10(255 ** 2 / (squares / a.length));
}

/** Measures fine detail: the mean difference of neighbours. */
function detail(pixels: Uint8Array): number {
  let sum = 0;
  for (let at = 3; at < pixels.length; at += 1) sum += Math.abs((pixels[at] ?? 0) - (pixels[at - 3] ?? 0));
  return sum / pixels.length;
}

describe('a width made from a level of the pyramid', () => {
  it.each(PHOTOS)('looks like direct scaling: %s', async (file) => {
    const pyramid: Pyramid = { full: await load(file), smaller: [] };
    for (const width of [40, 100, 160, 320, 480, 768]) {
      const { data } = await resizePixels(pyramid, { name: 'x', width });
      const direct = await resizeDirectly(pyramid.full, { name: 'x', width });
      expect(likeness(data, direct)).toBeGreaterThan(40);
      expect(detail(data) / detail(direct)).toBeGreaterThan(0.97);
      expect(detail(data) / detail(direct)).toBeLessThan(1.08);
    }
    expect(pyramid.smaller.length).toBeGreaterThan(2);
  });

  it('is cropped like direct scaling', async () => {
    const pyramid: Pyramid = { full: await load('photo-mountains.jpg'), smaller: [] };
    const square: VariantSpec = { name: 'x', width: 300, height: 300, fit: 'cover' };
    const { data } = await resizePixels(pyramid, square);
    expect(pyramid.smaller).toHaveLength(1 + 1);
    expect(likeness(data, await resizeDirectly(pyramid.full, square))).toBeGreaterThan(40);
  });

  it('does not depend on earlier variants', async () => {
    const full = await load('photo-brushes.jpg');
    const one: Pyramid = { full, smaller: [] };
    const small = await resizePixels(one, { name: 'x', width: 100 });
    const other: Pyramid = { full, smaller: [] };
    for (const width of [900, 300, 200]) await resizePixels(other, { name: 'x', width });
    expect(small.data.equals((await resizePixels(other, { name: 'x', width: 100 })).data)).toBe(true);
  });

  it('is not used for large widths, transparency and animations', async () => {
    const { width, height } = await load('photo-brushes.jpg');
    const pyramid: Pyramid = { full: await load('photo-brushes.jpg'), smaller: [] };
    await resizePixels(pyramid, { name: 'x', width: Math.ceil(width / 4) + 1 });
    expect(pyramid.smaller).toHaveLength(0);
    const clear: Pixels = { data: Buffer.alloc(width * height * 4, 90), width, height, channels: 4, frames: 1 };
    const flicker: Pixels = { data: Buffer.alloc(64 * 64 * 2 * 3, 90), width: 64, height: 64, channels: 3, frames: 2 };
    for (const full of [clear, flicker]) {
      const untouched: Pyramid = { full, smaller: [] };
      await resizePixels(untouched, { name: 'x', width: 8 });
      expect(untouched.smaller).toHaveLength(0);
    }
  });
});

describe('a width that is scaled and encoded in one pass', () => {
  const sizes: VariantSpec[] = [
    { name: 'x', width: 700 },
    { name: 'x', width: 200 },
    { name: 'x', width: 200, height: 200, fit: 'cover' },
  ];

  it.each(['webp', 'jpeg', 'gif', 'tiff', 'avif'] as const)('has the bytes of two passes: %s', async (format) => {
    const pyramid: Pyramid = { full: await load('photo-brushes.jpg'), smaller: [] };
    // The first takes too long in AVIF; the settings of a WebP crop depend on its pixels.
    for (const size of format === 'avif' ? sizes.slice(1) : sizes.slice(0, format === 'webp' ? 2 : 3)) {
      const scaling = await planScaling(pyramid, size);
      const settings = scaling && chooseBeforeScaling(scaling, format, 'high');
      if (!scaling || !settings) throw new Error('expected a photograph to be known before it is scaled');
      const pixels = await scalePixels(scaling);
      const twice = await encodeSmallest(pixels, chooseQuality(pixels, format, 'high', true), { copyright: 'Me' });
      const once = await encodeScaled(scaling, settings, { copyright: 'Me' });
      expect(once.data.equals(twice.data)).toBe(true);
      expect(once.quality).toBe(twice.quality);
    }
  });

  it('is not used if the settings depend on the pixels: PNG, flat art, transparency, grey, animations', async () => {
    const choose = (from: Pixels, format: EncodedFormat) => {
      const to = { width: 300, height: 300, fit: 'fill', kernel: 'lanczos3' } as const;
      return chooseBeforeScaling({ from, to }, format, 'high');
    };
    const photograph = await load('photo-brushes.jpg');
    expect(choose(photograph, 'webp')).toMatchObject({ format: 'webp', lossless: false });
    expect(choose(photograph, 'png')).toBeUndefined();
    for (const file of ['screenshot-dashboard.png', 'art-flat-vector.png', 'art-stripes-24mp.jpg']) {
      expect(choose(await load(file), 'webp')).toBeUndefined();
      expect(choose(await load(file), 'jpeg')).toMatchObject({ format: 'jpeg' });
    }
    const { data, ...one } = photograph;
    for (const other of [{ channels: 1 }, { channels: 4 }, { frames: 2 }] as const) {
      expect(choose({ data, ...one, ...other }, 'webp')).toBeUndefined();
    }
  });

  it('is not used for a WebP crop, which may be flat although the photograph is not', async () => {
    const { data, ...shape } = await load('photo-mountains.jpg');
    const { width, height } = shape;
    const striped: Pixels = { data: Buffer.from(data), ...shape };
    const stripe = Math.round(height / 3);
    for (let row = 0; row < height; row += 1) {
      const begin = (row * width + Math.floor((width - stripe) / 2)) * 3;
      striped.data.fill(255, begin, begin + stripe * 3);
    }
    const plan = async (variant: VariantSpec) => {
      const scaling = await planScaling({ full: striped, smaller: [] }, variant);
      if (!scaling) throw new Error('expected a smaller version');
      return scaling;
    };
    expect(chooseBeforeScaling(await plan({ name: 'x', width: 400 }), 'webp', 'high')).toMatchObject({
      lossless: false,
    });
    const focalPoint = { x: 0.5, y: 0.5 };
    const crop = await plan({ name: 'x', width: 100, height: 400, fit: 'cover', focalPoint });
    expect(chooseBeforeScaling(crop, 'webp', 'high')).toBeUndefined();
    const candidates = chooseQuality(await scalePixels(crop), 'webp', 'high', true);
    expect(candidates).toMatchObject([{ lossless: false }, { lossless: true }]);
  });
});

describe("a width's WebP", () => {
  let harness: Harness;
  beforeAll(async () => {
    // The effort is judged at equal numbers.
    harness = await startHarness({ QUALITY_SEARCH: 'off' });
  });
  afterAll(() => harness.close());

  it.each(PHOTOS)(
    'has the quality of the slower encoder within half a decibel, for few more bytes: %s',
    async (file) => {
      const variants = [{ name: '480w', width: 480 }];
      const { file: made, size } = only(await harness.render(photo(file), { format: 'webp', variants }));
      const pixels = await resizePixels({ full: await load(file), smaller: [] }, { name: 'x', width: 480 });
      const slow = await openPixels(pixels).webp({ quality: 85, effort: 4 }).toBuffer();
      const scores = await Promise.all(
        [await readFile(made), slow].map(async (bytes) => likeness(await sharp(bytes).raw().toBuffer(), pixels.data)),
      );
      expect(scores[0]).toBeGreaterThan((scores[1] ?? 0) - 0.6);
      expect(size).toBeLessThan(slow.length * 1.08);
    },
  );
});
