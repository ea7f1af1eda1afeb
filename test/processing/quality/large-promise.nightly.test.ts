import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRESET_TARGETS } from '#contract';
import type { Pixels } from '../../../server/processing/worker/pixels.ts';
import { chooseLayout, cutTiles, type Extent } from '../../../server/processing/worker/quality/tiles.ts';
import { createScorer, type Scorer } from '../../../server/processing/worker/score/index.ts';
import { type Harness, only, photo, startHarness } from '../processor-harness.ts';
import { renderWidth, scoreOf, storeSmall } from './scored-files.ts';

let harness: Harness;
let scorer: Scorer;

beforeAll(async () => {
  [harness, scorer] = [await startHarness({ WORKERS: 1 }), await createScorer()];
});
afterAll(() => harness.close());

/** Decodes an image without transparency. */
async function pixelsOf(bytes: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 3, frames: 1 };
}

describe('a preset', () => {
  // Detail all over, of which tiles predict far more than the file needs.
  it.each([
    ['webp', 1000],
    ['jpeg', 1000],
    ['avif', 1000],
    ['webp', 1800],
  ] as const)('is not exceeded by far: %s of a photograph %i pixels wide', async (format, width) => {
    const source = await storeSmall(harness, 'photo-stream.jpg', width);
    const made = only(await harness.render(source, { format, preset: 'high' }));
    const score = await scoreOf(scorer, made.file, source);
    expect(score).toBeGreaterThanOrEqual(PRESET_TARGETS.high - 2);
    expect(score).toBeLessThanOrEqual(PRESET_TARGETS.high + 4);
    expect(Math.abs(score - (made.score ?? 0))).toBeLessThan(3);
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
    const told = made.score ?? 0;
    const [original, version] = await Promise.all([pixelsOf(pixels), pixelsOf(await readFile(made.file))]);
    // By all lines of the parts, where the search takes some of them.
    const scoreOn = (extent: Extent) => {
      const layout = chooseLayout(original, extent);
      return scorer.prepare(cutTiles(original, layout)).score(cutTiles(version, layout));
    };
    const judged = scorer.prepare(original).score(version);
    expect(judged).toBeGreaterThanOrEqual(PRESET_TARGETS.low - 2);
    expect(Math.abs(judged - told)).toBeLessThan(3);
    expect(Math.abs(scoreOn(used) - told)).toBeLessThan(0.3);
    expect(Math.abs(scoreOn(other) - told)).toBeGreaterThan(Math.abs(scoreOn(used) - told));
  });
});

describe('the bytes of a width', () => {
  it('do not depend on the other variants of the request', async () => {
    const source = photo('photo-brushes.jpg');
    const together = await harness.render(source, { format: 'webp', widths: [1000] });
    const alone = await renderWidth(harness, source, 1000, { format: 'webp' });
    expect(alone.sha256).toBe(together[1]?.sha256);
    for (const { score } of together) expect(score).toBeGreaterThanOrEqual(PRESET_TARGETS.high - 2);
  });
});
