import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createScorer, type Pixels } from '../../../server/processing/worker/score/index.ts';
import { FIT, layOut } from '../../../server/processing/worker/score/layout.ts';
import { KEPT_BYTES } from '../../../server/processing/worker/score/scorer.ts';

const PHOTOS = new URL('../../fixtures/photos/', import.meta.url).pathname;
const PHOTOGRAPHS = ['photo-mountains.jpg', 'photo-nuthatch.jpg', 'photo-brushes.jpg', 'photo-stream.jpg'];

/** Decodes the middle of a fixture. */
async function crop(name: string, width = 256, height = 256): Promise<Pixels> {
  const image = sharp(join(PHOTOS, name)).rotate().resize(720).toColourspace('srgb').flatten({ background: '#fff' });
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  const region = { left: (info.width - width) >> 1, top: (info.height - height) >> 1, width, height };
  const part = sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } }).extract(region);
  return { data: await part.raw().toBuffer(), width, height };
}

/** Decodes a fixture at a size. */
async function resized(name: string, width: number, height: number): Promise<Pixels> {
  const image = sharp(join(PHOTOS, name)).toColourspace('srgb').flatten({ background: '#fff' });
  return { data: await image.resize(width, height, { fit: 'fill' }).raw().toBuffer(), width, height };
}

async function asJpeg({ data, width, height }: Pixels, quality: number): Promise<Pixels> {
  const file = await sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality })
    .toBuffer();
  return { data: await sharp(file).raw().toBuffer(), width, height };
}

describe('scores of visual quality', () => {
  it('gives identical images 100', async () => {
    const scorer = await createScorer();
    for (const name of PHOTOGRAPHS) {
      const image = await crop(name, 211, 97);
      expect(scorer.prepare(image).score({ ...image, data: Uint8Array.from(image.data) })).toBe(100);
    }
  });

  it('are the same after memory was given back', async () => {
    const scorer = await createScorer();
    // So large that a kernel does not keep its memory.
    const image = await resized('photo-stream.jpg', 3200, 3000);
    const [reference, changed] = [scorer.prepare(image), await asJpeg(image, 70)];
    const score = reference.score(changed);
    scorer.release();
    expect(reference.score(changed)).toBe(score);
    scorer.release();
    expect(scorer.prepare(image).score(changed)).toBe(score);
  });

  it('keep the memory of two megapixels, and give back that of more', () => {
    const bytesOf = (width: number, height: number) => layOut(width, height, FIT, 30_000, false).end;
    for (const [width, height] of [
      [1600, 1250],
      [1250, 1600],
      [2000, 1000],
      [3000, 666],
    ] as const) {
      expect(bytesOf(width, height)).toBeLessThan(KEPT_BYTES);
    }
    expect(bytesOf(3200, 3000)).toBeGreaterThan(KEPT_BYTES);
    // Of larger ones the original's share is not kept: the estimate of `estimateMemory`.
    for (const [width, height] of [
      [2000, 1100],
      [6000, 4000],
      [1000, 50_000],
    ] as const) {
      expect(bytesOf(width, height)).toBeLessThan(15 * width * height);
    }
  });

  it('are lower where the rounding of the reference counts: in flat parts of wide images', async () => {
    const [scorer, exact] = [await createScorer(), await createScorer({ ...FIT, rounding: 0 })];
    const loss = async (name: string) => {
      const image = await resized(name, 1400, 900);
      const changed = await asJpeg(image, 90);
      return exact.prepare(image).score(changed) - scorer.prepare(image).score(changed);
    };
    expect(await loss('photo-stream.jpg')).toBeLessThan(0.2);
    expect(await loss('screenshot-dashboard.png')).toBeGreaterThan(0.5);
  });

  it('are estimated within half a point from a part of the lines of a photograph', async () => {
    const scorer = await createScorer();
    for (const name of PHOTOGRAPHS) {
      const { data, info } = await sharp(join(PHOTOS, name)).resize(1200).raw().toBuffer({ resolveWithObject: true });
      const image = { data, width: info.width, height: info.height };
      for (const quality of [35, 80]) {
        const changed = await asJpeg(image, quality);
        const estimated = scorer.prepare(image, true).score(changed);
        const exact = scorer.prepare(image).score(changed);
        expect(estimated).not.toBe(exact);
        expect(Math.abs(estimated - exact)).toBeLessThan(0.5);
      }
    }
  });

  it('scores a photograph of a quality lower by 10 at most 1 higher', async () => {
    const scorer = await createScorer();
    for (const name of PHOTOGRAPHS) {
      const image = await crop(name);
      const reference = scorer.prepare(image);
      const scores = [];
      for (let quality = 95; quality > 10; quality -= 10) scores.push(reference.score(await asJpeg(image, quality)));
      for (const [index, score] of scores.entries()) expect(score).toBeLessThan((scores[index - 1] ?? 100) + 1);
      expect(scores[0]).toBeGreaterThan(70);
      expect(scores.at(-1)).toBeLessThan(60);
    }
  });

  it('may score flat art higher at a lower quality, which is printed', async () => {
    const scorer = await createScorer();
    for (const name of ['art-flat-vector.png', 'art-gradient.png', 'screenshot-dashboard.png']) {
      const image = await crop(name);
      const reference = scorer.prepare(image);
      for (let quality = 85; quality > 10; quality -= 10) {
        const [more, less] = [await asJpeg(image, quality), await asJpeg(image, quality - 10)];
        const [higher, lower] = [reference.score(more), reference.score(less)];
        if (lower > higher + 1) console.info(`${name}: ${lower} at ${quality - 10}, ${higher} at ${quality}`);
        // Never by so much that a search would be led astray.
        expect(lower).toBeLessThan(higher + 5);
      }
    }
  });

  it('says what was expected of pixels that do not fit', async () => {
    const scorer = await createScorer();
    const image = { data: new Uint8Array(3 * 16 * 8), width: 16, height: 8 };
    expect(() => scorer.prepare({ ...image, width: 15 })).toThrow('Expected 360 bytes for 15 x 8 pixels, got 384');
    expect(() => scorer.prepare({ data: new Uint8Array(3 * 16 * 7), width: 16, height: 7 })).toThrow(
      'Expected an image of at least 8 x 8 pixels, got 16 x 7',
    );
    const reference = scorer.prepare(image);
    expect(() => reference.score({ ...image, width: 8, height: 16 })).toThrow('got 8 x 16');
    expect(() => reference.score({ ...image, data: new Uint8Array(3) })).toThrow('Expected 384 bytes');
  });
});
