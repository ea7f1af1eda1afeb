import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRESET_TARGETS } from '#contract';
import { bestOf } from '../../../server/processing/worker/quality/plan-quality.ts';
import { createScorer, type Scorer } from '../../../server/processing/worker/score/index.ts';
import { type Harness, nasty, only, photo, startHarness } from '../processor-harness.ts';
import { renderWidth, scoreOf, storeSmall } from './scored-files.ts';

let harness: Harness;
let scorer: Scorer;

beforeAll(async () => {
  [harness, scorer] = [await startHarness({ WORKERS: 1 }), await createScorer()];
});
afterAll(() => harness.close());

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
    const source = await storeSmall(harness, 'photo-brushes.jpg', 360);
    const made = only(await harness.render(source, { format, preset }));
    expect(made.score).toBeGreaterThanOrEqual(PRESET_TARGETS[preset] - 2);
    expect(made.score).toBeLessThanOrEqual(PRESET_TARGETS[preset] + 6);
    expect(made.reached).toBe(true);
    expect(Math.abs((await scoreOf(scorer, made.file, source)) - (made.score ?? 0))).toBeLessThan(0.1);
    expect(only(await harness.render(source, { format, preset })).sha256).toBe(made.sha256);
  });

  it('is told by the score of the file for a small JPEG of a low preset', async () => {
    const source = await storeSmall(harness, 'photo-brushes.jpg', 900);
    const made = only(await harness.render(source, { format: 'jpeg', preset: 'low' }));
    expect(Math.abs((await scoreOf(scorer, made.file, source)) - (made.score ?? 0))).toBeLessThan(0.1);
  });

  it('is kept on white and on black where the image is transparent', async () => {
    const source = await storeSmall(harness, 'graphic-badge-alpha.png', 300);
    const made = only(await harness.render(source, { format: 'webp', preset: 'medium' }));
    const scores = [await scoreOf(scorer, made.file, source, '#fff'), await scoreOf(scorer, made.file, source, '#000')];
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
      await renderWidth(harness, source, 300, { format: 'png', preset: 'minimum' }),
      await renderWidth(harness, source, 300, { format: 'png', preset: 'medium' }),
      await renderWidth(harness, source, 300, { format: 'png', preset: 'high' }),
    ];
    expect(high).toMatchObject({ quality: 'lossless', score: 100, reached: true });
    expect(low.quality).toBeTypeOf('number');
    expect(low.size).toBeLessThanOrEqual(medium.size);
    expect(low.score).toBeGreaterThanOrEqual(PRESET_TARGETS.minimum - 2);
  });

  it('says so where the format cannot reach it, and gives its best where the promise is insisted on', async () => {
    // Colours without a neighbour of their kind, which no file with a quarter of the colours can hold.
    const data = Buffer.concat(
      Array.from({ length: 3750 }, (_, index) => createHash('sha256').update(`noise ${index}`).digest()),
    );
    const bytes = await sharp(data, { raw: { width: 200, height: 200, channels: 3 } })
      .png()
      .toBuffer();
    const source = await harness.store('noise.png', bytes);
    const made = only(await harness.render(source, { format: 'webp', preset: 'maximum' }));
    const best = only(await harness.render(source, { format: 'webp', preset: 'maximum', insists: true }));
    for (const one of [made, best]) {
      expect(one).toMatchObject({ reached: false, stopped: 'format' });
      expect(one.score).toBeLessThan(PRESET_TARGETS.maximum);
      expect(one).not.toHaveProperty('estimatedBytes');
    }
    expect(best.quality).toBe(100);
    // The last points cost more than 12 % each.
    expect(best.size).toBeGreaterThan(made.size * 1.12 ** ((best.score ?? 0) - (made.score ?? 0)));
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
