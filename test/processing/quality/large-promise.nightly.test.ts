import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRESET_TARGETS } from '#contract';
import type { Pixels } from '../../../server/processing/worker/pixels.ts';
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
  it.each([
    ['detail all over', 'photo-stream.jpg', 2700, 'webp'],
    ['smooth parts', 'photo-brushes.jpg', 1800, 'webp'],
    ['detail all over, as a large JPEG of a low preset', 'photo-stream.jpg', 2850, 'jpeg'],
  ] as const)('is scored whole, with %s', async (_content, picture, width, format) => {
    const pixels = await sharp(photo(picture))
      .resize(width, Math.round(width / 1.5))
      .png({ compressionLevel: 1 })
      .toBuffer();
    const made = only(await harness.render(await harness.store(picture, pixels), { format, preset: 'low' }));
    const [original, version] = await Promise.all([pixelsOf(pixels), pixelsOf(await readFile(made.file))]);
    // By all lines, where the search takes some of them.
    const judged = scorer.prepare(original).score(version);
    expect(judged).toBeGreaterThanOrEqual(PRESET_TARGETS.low - 1);
    expect(Math.abs(judged - (made.score ?? 0))).toBeLessThan(0.4);
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
