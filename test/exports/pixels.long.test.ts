import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ImageResult } from '#contract';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { plainImage } from '../support/small-images.ts';

let test: SharedService;
beforeAll(async () => {
  test = await sharedService();
});

/** Uploads a file, exports it, downloads every variant: the result and the bytes. */
async function exported(file: string | { name: string; bytes: Uint8Array }, settings: object) {
  const { last } = await test.api.run('export', await test.api.upload([file]), settings);
  const [result] = last.data.results as ImageResult[];
  if (!result || result.status === 'failed') throw new Error(result?.error?.message);
  const files = await Promise.all(
    result.variants.map(async ({ url }) => Buffer.from(await (await test.api.request(url)).arrayBuffer())),
  );
  return { result, files, full: files[0] as Buffer };
}

async function pixel(bytes: Buffer, left: number, top: number): Promise<number[]> {
  const { data } = await sharp(bytes)
    .ensureAlpha()
    .extract({ left, top, width: 1, height: 1 })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return [...data];
}

const FORMATS = ['webp', 'avif', 'jpeg', 'png'] as const;

describe('the pixels of an export', () => {
  it.each(FORMATS)('are decodable %s of the size that the result names, in every variant', async (format) => {
    const { result, files } = await exported('nasty/jpeg-arithmetic.jpg', {
      format,
      preset: 'low',
      responsive: true,
      responsiveSizes: [200, { width: 100, height: 100, fit: 'cover' }],
    });
    for (const [index, variant] of result.variants.entries()) {
      const bytes = files[index] as Buffer;
      const read = await sharp(bytes).metadata();
      expect([read.format, read.width, read.height, bytes.length]).toEqual([
        format === 'avif' ? 'heif' : format,
        variant.width,
        variant.height,
        variant.size,
      ]);
      await sharp(bytes).stats();
    }
    expect(result.variants.map(({ width, height }) => [width, height])).toEqual([
      [1200, 640],
      [100, 100],
      [200, 107],
    ]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'stand upright for EXIF orientation %i, with no orientation left',
    async (orientation) => {
      const upright = await exported('nasty/jpeg-exif-orientation-1.jpg', { format: 'png' });
      const turned = await exported(`nasty/jpeg-exif-orientation-${orientation}.jpg`, { format: 'png' });
      const read = await sharp(turned.full).metadata();
      expect(read.orientation ?? 1).toBe(1);
      expect([read.width, read.height]).toEqual(orientation < 5 ? [600, 320] : [320, 600]);
      expect([turned.result.original.width, turned.result.original.height]).toEqual([read.width, read.height]);
      const source = await sharp(`test/fixtures/nasty/jpeg-exif-orientation-${orientation}.jpg`, {})
        .autoOrient()
        .png()
        .toBuffer();
      const difference = await meanDifference(turned.full, source);
      expect(difference).toBeLessThan(6);
      if (orientation === 1) expect(await meanDifference(turned.full, upright.full)).toBe(0);
    },
  );

  it.each(FORMATS)('keep the red of Display P3 as %s: it is converted, not relabelled', async (format) => {
    const red = sharp({ create: { width: 64, height: 64, channels: 3, background: '#ff0000' } });
    const bytes = await red.withIccProfile('p3').jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer();
    // The same red has other numbers in P3; without its profile they would be a duller one.
    expect((await sharp(bytes, { ignoreIcc: true }).raw().toBuffer()).readUInt8(1)).toBeGreaterThan(40);
    const { full } = await exported({ name: 'red.jpg', bytes }, { format, preset: 'maximum' });
    const [r = 0, g = 255, b = 255] = await pixel(full, 30, 30);
    expect([r > 245, g < 15, b < 15]).toEqual([true, true, true]);
  });

  it('keep transparency in webp, avif and png, and are flattened on white in jpeg', async () => {
    const bytes = await sharp({
      create: { width: 60, height: 40, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0 } },
    })
      .composite([
        { input: { create: { width: 30, height: 40, channels: 4, background: '#00ff00ff' } }, left: 30, top: 0 },
      ])
      .png()
      .toBuffer();
    for (const format of FORMATS) {
      const { full, result } = await exported({ name: 'half.png', bytes }, { format });
      const [left, right] = [await pixel(full, 5, 20), await pixel(full, 50, 20)];
      if (format === 'jpeg') {
        expect(left.slice(0, 3).every((value) => value > 245)).toBe(true);
        expect(result.warnings.map(({ code }) => code)).toContain('alpha_flattened');
      } else {
        expect(left[3]).toBe(0);
      }
      expect([right[3], (right[1] ?? 0) > 240, (right[0] ?? 0) < 15]).toEqual([255, true, true]);
    }
  });

  it('keep an animation in webp and original, with all frames, delays and the loop', async () => {
    const source = await sharp('test/fixtures/nasty/animated.gif', { animated: true }).metadata();
    for (const format of ['webp', 'original']) {
      const { full } = await exported('nasty/animated.gif', { format });
      const read = await sharp(full, { animated: true }).metadata();
      expect([read.pages, read.delay, read.loop, read.width, read.pageHeight]).toEqual([
        8,
        source.delay,
        source.loop,
        320,
        180,
      ]);
    }
    const { full } = await exported('nasty/animated.gif', { format: 'png' });
    expect((await sharp(full).metadata()).pages ?? 1).toBe(1);
  });

  it('are never enlarged, whatever is asked for', async () => {
    const { result } = await exported(await plainImage('small.png', { width: 120, height: 90 }), { responsive: true });
    expect(result.variants.map(({ name, width, height }) => [name, width, height])).toEqual([['full', 120, 90]]);
    expect(result.skippedSizes).toEqual([480, 768, 1024, 1440, 1920]);
    const one = await exported('nasty/png-1x1.png', { responsive: true, responsiveSizes: [16] });
    expect([one.result.variants.length, one.result.skippedSizes]).toEqual([1, [16]]);
  });

  it('as original never cost more bytes than the upload, and say when they are its own', async () => {
    for (const file of [
      'nasty/jpeg-grey.jpg',
      'nasty/png-1bit.png',
      'nasty/webp-lossless.webp',
      'nasty/avif-input.avif',
    ]) {
      const { result, full } = await exported(file, { format: 'original', preset: 'maximum' });
      expect(full.length).toBeLessThanOrEqual(result.original.size);
      expect(result.keptOriginal).toBe(result.quality.used === null);
    }
  });
});

/** Mean difference per channel, 0 to 255, of two pictures of one size. */
async function meanDifference(one: Buffer, two: Buffer): Promise<number> {
  const [a, b] = await Promise.all([one, two].map((bytes) => sharp(bytes).removeAlpha().raw().toBuffer()));
  if (!a || !b || a.length !== b.length) return Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += Math.abs((a[index] ?? 0) - (b[index] ?? 0));
  return sum / a.length;
}
