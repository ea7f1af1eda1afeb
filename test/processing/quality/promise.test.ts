import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRESET_TARGETS } from '#contract';
import type { RenderedVariant } from '../../../server/processing/index.ts';
import type { Pixels } from '../../../server/processing/worker/pixels.ts';
import { bestOf } from '../../../server/processing/worker/quality/plan-quality.ts';
import { chooseLayout, cutTiles, type Extent } from '../../../server/processing/worker/quality/tiles.ts';
import { createScorer, type Scorer } from '../../../server/processing/worker/score/index.ts';
import { type Harness, nasty, only, photo, type RenderChoice, startHarness } from '../processor-harness.ts';

let harness: Harness;
let scorer: Scorer;

beforeAll(async () => {
  [harness, scorer] = [await startHarness({ WORKERS: 1 }), await createScorer()];
});
afterAll(() => harness.close());

/** Renders a width alone. */
async function renderWidth(file: string, width: number, choice: RenderChoice): Promise<RenderedVariant> {
  return only(await harness.render(file, { ...choice, variants: [{ name: `${width}w`, width }] }));
}

/** Pixels on a background. */
async function shown(image: Sharp, background = '#fff') {
  const flat = image.flatten({ background }).toColourspace('srgb').removeAlpha().raw();
  const { data, info } = await flat.toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Stores a smaller version of a picture as PNG, the pixels that its files are scored against. */
async function storeSmall(picture: string, width: number): Promise<string> {
  return harness.store(`${width}.png`, await sharp(photo(picture)).resize({ width }).png().toBuffer());
}

/** Scores a file against its source. */
async function scoreOf(file: string, source: string, background?: string): Promise<number> {
  const [original, version] = [await readFile(source), await readFile(file)];
  return scorer.prepare(await shown(sharp(original), background)).score(await shown(sharp(version), background));
}

/** Decodes an image without transparency. */
async function pixelsOf(bytes: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 3, frames: 1 };
}

describe('the best of several files', () => {
  const file = (score: number, bytes: number, reached = true) => ({
    ...{ data: Buffer.alloc(bytes), width: 1, height: 1, quality: 1 },
    ...{ score, reached },
  });

  it('is the smallest one that is good enough', () => {
    const files = [file(80, 30), file(76.6, 20), file(76.2, 10)];
    expect(bestOf(files as never, 76, -0.5)).toBe(files[1]);
    expect(bestOf(files as never, 76, 0.5)).toBe(files[2]);
  });

  it('has reached the target, although the highest number misses it', () => {
    expect(bestOf([file(76.2, 10), file(75.8, 20, false)] as never, 76, -0.5)).toMatchObject({
      score: 76.2,
      reached: true,
    });
  });

  it('has not reached the target if the highest number is worse still', () => {
    expect(bestOf([file(84, 10), file(83.9, 20, false)] as never, 87, 0.5)).toMatchObject({
      score: 84,
      reached: false,
    });
  });
});

describe('a preset', () => {
  it.each([
    ['webp', 'high'],
    ['jpeg', 'very_high'],
    ['jpeg', 'minimum'],
    ['avif', 'medium'],
  ] as const)('is kept as %s %s, and the score told is that of the file', async (format, preset) => {
    const source = await storeSmall('photo-brushes.jpg', 360);
    const made = only(await harness.render(source, { format, preset }));
    expect(made.score).toBeGreaterThanOrEqual(PRESET_TARGETS[preset] - 2);
    expect(made.score).toBeLessThanOrEqual(PRESET_TARGETS[preset] + 6);
    expect(made.reached).toBe(true);
    expect(Math.abs((await scoreOf(made.file, source)) - (made.score ?? 0))).toBeLessThan(0.1);
    expect(only(await harness.render(source, { format, preset })).sha256).toBe(made.sha256);
  });

  // Detail all over, of which tiles predict far more than the file needs.
  it.each([
    ['webp', 1000],
    ['jpeg', 1000],
    ['avif', 1000],
    ['webp', 1800],
  ] as const)('is not exceeded by far: %s of a photograph %i pixels wide', async (format, width) => {
    const source = await storeSmall('photo-stream.jpg', width);
    const made = only(await harness.render(source, { format, preset: 'high' }));
    const score = await scoreOf(made.file, source);
    expect(score).toBeGreaterThanOrEqual(PRESET_TARGETS.high - 2);
    expect(score).toBeLessThanOrEqual(PRESET_TARGETS.high + 4);
    expect(Math.abs(score - (made.score ?? 0))).toBeLessThan(3);
  });

  it('is told by the score of the file for a small JPEG of a low preset', async () => {
    const source = await storeSmall('photo-brushes.jpg', 900);
    const made = only(await harness.render(source, { format: 'jpeg', preset: 'low' }));
    expect(Math.abs((await scoreOf(made.file, source)) - (made.score ?? 0))).toBeLessThan(0.1);
  });

  it('is kept on white and on black where the image is transparent', async () => {
    const source = await storeSmall('graphic-badge-alpha.png', 300);
    const made = only(await harness.render(source, { format: 'webp', preset: 'medium' }));
    const scores = [await scoreOf(made.file, source, '#fff'), await scoreOf(made.file, source, '#000')];
    expect(Math.abs(Math.min(...scores) - (made.score ?? 0))).toBeLessThan(0.1);
    expect(made.score).toBeGreaterThanOrEqual(PRESET_TARGETS.medium - 2);
  });

  it('is kept by an animation', async () => {
    const made = only(await harness.render(nasty('animated.gif'), { format: 'webp', preset: 'low' }));
    expect(made.score).toBeGreaterThanOrEqual(PRESET_TARGETS.low - 2);
    expect((await sharp(made.file).metadata()).pages).toBeGreaterThan(1);
  });

  it('takes as many colours as a PNG needs, and none away from `high` up', async () => {
    const source = photo('render-tiles.webp');
    const [low, medium, high] = [
      await renderWidth(source, 300, { format: 'png', preset: 'minimum' }),
      await renderWidth(source, 300, { format: 'png', preset: 'medium' }),
      await renderWidth(source, 300, { format: 'png', preset: 'high' }),
    ];
    expect(high).toMatchObject({ quality: 'lossless', score: 100, reached: true });
    expect(low.quality).toBeTypeOf('number');
    expect(low.size).toBeLessThanOrEqual(medium.size);
    expect(low.score).toBeGreaterThanOrEqual(PRESET_TARGETS.minimum - 2);
  });

  it('says so where the format cannot reach it, and gives the best it can', async () => {
    // Colours without a neighbour of their kind, which no file with a quarter of the colours can hold.
    const data = randomBytes(200 * 200 * 3);
    const bytes = await sharp(data, { raw: { width: 200, height: 200, channels: 3 } })
      .png()
      .toBuffer();
    const made = only(
      await harness.render(await harness.store('noise.png', bytes), { format: 'webp', preset: 'maximum' }),
    );
    expect(made).toMatchObject({ reached: false, quality: 100 });
    expect(made.score).toBeLessThan(PRESET_TARGETS.maximum);
  });

  it.each([
    [nasty('png-1x1.png'), 'webp'],
    [nasty('png-1x1.png'), 'jpeg'],
    [nasty('png-extreme-aspect-20000x1.png'), 'jpeg'],
    [nasty('png-1bit.png'), 'jpeg'],
    [nasty('jpeg-cmyk.jpg'), 'webp'],
    [nasty('jpeg-grey.jpg'), 'avif'],
  ] as const)('has a score for %s as %s', async (file, format) => {
    const [made] = await harness.render(file, { format, preset: 'low' });
    expect(made?.score).toBeGreaterThanOrEqual(PRESET_TARGETS.low - 2);
    expect(made?.score).toBeLessThanOrEqual(100);
  });
});

describe('a file of a large image', () => {
  const WINDOWS = { area: 4_200_000, edge: 1024 };
  const TILES = { area: 2_000_000, edge: 256 };

  it.each([
    ['detail all over', 'windows', 'photo-stream.jpg', 2700, 'webp', WINDOWS, TILES],
    ['smooth parts', 'tiles', 'photo-brushes.jpg', 1800, 'webp', TILES, WINDOWS],
    ['detail all over, as a large JPEG of a low preset', 'windows', 'photo-stream.jpg', 2850, 'jpeg', WINDOWS, TILES],
  ] as const)('is checked, with %s, on %s', async (_content, _parts, picture, width, format, used, other) => {
    const pixels = await sharp(photo(picture))
      .resize(width, Math.round(width / 1.5))
      .png({ compressionLevel: 1 })
      .toBuffer();
    const made = only(await harness.render(await harness.store(picture, pixels), { format, preset: 'low' }));
    const [original, version] = await Promise.all([pixelsOf(pixels), pixelsOf(await readFile(made.file))]);
    const scoreOn = (extent: Extent) => {
      const layout = chooseLayout(original, extent);
      return scorer.prepare(cutTiles(original, layout)).score(cutTiles(version, layout));
    };
    expect(Math.abs(scoreOn(used) - (made.score ?? 0))).toBeLessThan(0.06);
    // What the others would have told.
    expect(Math.abs(scoreOn(other) - (made.score ?? 0))).toBeGreaterThan(0.1);
    expect(made.score).toBeGreaterThanOrEqual(PRESET_TARGETS.low);
  });
});

describe('the bytes of a width', () => {
  it('do not depend on the other variants of the request', async () => {
    const source = photo('photo-brushes.jpg');
    const together = await harness.render(source, { format: 'webp', widths: [1000] });
    const alone = await renderWidth(source, 1000, { format: 'webp' });
    expect(alone.sha256).toBe(together[1]?.sha256);
    for (const { score } of together) expect(score).toBeGreaterThanOrEqual(PRESET_TARGETS.high - 2);
  });
});
