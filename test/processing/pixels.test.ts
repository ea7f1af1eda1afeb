import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRESETS } from '#contract';
import { decode, difference, type Harness, header, nasty, only, pixel, startHarness } from './processor-harness.ts';

let harness: Harness;
beforeAll(async () => {
  // What the search encodes keeps colours and orientation in test/exports/pixels.long.test.ts.
  harness = await startHarness({ QUALITY_SEARCH: 'off' });
});
afterAll(() => harness.close());

/** A 64 x 48 image whose corners show its rotation. */
async function corners(): Promise<Buffer> {
  const raw = Buffer.alloc(64 * 48 * 3);
  for (let y = 0; y < 48; y += 1) {
    for (let x = 0; x < 64; x += 1) raw.set([x < 32 ? 230 : 20, y < 24 ? 230 : 20, 120], (y * 64 + x) * 3);
  }
  return sharp(raw, { raw: { width: 64, height: 48, channels: 3 } })
    .png()
    .toBuffer();
}

describe('presets', () => {
  it.each(['webp', 'avif', 'jpeg', 'png', 'original'] as const)(
    'give six files of falling quality in %s',
    async (format) => {
      const source = nasty('jpeg-exif-orientation-1.jpg');
      const upright = await decode(source);
      const errors: number[] = [];
      const sizes: number[] = [];
      for (const preset of PRESETS) {
        const full = only(await harness.render(source, { format, preset }));
        expect(full).toMatchObject({ width: 600, height: 320, format: format === 'original' ? 'jpeg' : format });
        sizes.push(full.size);
        errors.push(difference(await decode(full.file), upright));
      }
      expect(errors[0]).toBeLessThan(2.5);
      expect(errors[5]).toBeLessThan(12);
      for (let index = 1; index < 6; index += 1) {
        expect(sizes[index]).toBeLessThanOrEqual(sizes[index - 1] ?? 0);
        expect(errors[index]).toBeGreaterThanOrEqual((errors[index - 1] ?? 0) - 0.05);
      }
      expect(sizes[5]).toBeLessThan((sizes[0] ?? 0) * 0.75);
    },
  );

  it('keep every pixel of a PNG at high and above', async () => {
    const source = nasty('png-palette.png');
    for (const preset of ['maximum', 'very_high', 'high'] as const) {
      const full = only(await harness.render(source, { format: 'png', preset }));
      expect(full.quality).toBe('lossless');
      expect(difference(await decode(full.file), await decode(source))).toBe(0);
      expect((await header(full.file)).isPalette).toBe(true);
    }
  });

  it('choose lossless WebP for 1-bit art and lossy for a photograph', async () => {
    const source = nasty('png-1bit.png');
    const art = only(await harness.render(source, { format: 'webp' }));
    expect(art.quality).toBe('lossless');
    expect(art.size).toBeLessThan(53_662);
    expect(difference(await decode(art.file), await decode(source))).toBe(0);
    expect(only(await harness.render(nasty('jpeg-grey.jpg'), { format: 'webp' })).quality).toBe(85);
  });
});

describe('orientation', () => {
  // Position of the pixel (x, y) of the upright image in the stored one (EXIF 2.32, table 6).
  const from: Record<number, (x: number, y: number, w: number, h: number) => [number, number]> = {
    1: (x, y) => [x, y],
    2: (x, y, w) => [w - 1 - x, y],
    3: (x, y, w, h) => [w - 1 - x, h - 1 - y],
    4: (x, y, _w, h) => [x, h - 1 - y],
    5: (x, y) => [y, x],
    6: (x, y, _w, h) => [y, h - 1 - x],
    7: (x, y, w, h) => [w - 1 - y, h - 1 - x],
    8: (x, y, w) => [w - 1 - y, x],
  };

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('%i is rotated upright and has no tag', async (orientation) => {
    const stored = await corners();
    const bytes = await sharp(stored)
      .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
      .withMetadata({ orientation })
      .toBuffer();
    const file = await harness.store(`turned-${orientation}.jpg`, bytes);
    const reference = await decode(await harness.store('stored.png', stored));
    for (const format of ['webp', 'png', 'jpeg', 'avif'] as const) {
      const [full, small] = await harness.render(file, { format, widths: [24] });
      const turned = orientation > 4;
      expect(full).toMatchObject({ width: turned ? 48 : 64, height: turned ? 64 : 48 });
      expect(small).toMatchObject({ width: 24, height: turned ? 32 : 18 });
      expect((await header(full?.file ?? '')).orientation).toBeUndefined();
      const image = await decode(full?.file ?? '');
      for (const [x, y] of [
        [4, 4],
        [image.width - 5, 4],
        [4, image.height - 5],
        [image.width - 5, image.height - 5],
      ] as const) {
        const [sx, sy] = from[orientation]?.(x, y, 64, 48) ?? [0, 0];
        expect(distance(pixel(image, x, y), pixel(reference, sx, sy))).toBeLessThan(12);
      }
    }
  });
});

describe('colour', () => {
  it('converts a Display P3 red through its profile', async () => {
    const red = { create: { width: 32, height: 32, channels: 3 as const, background: '#ff0000' } };
    const bytes = await sharp(red).withIccProfile('p3').png().toBuffer();
    const file = await harness.store('p3.png', bytes);
    // The numbers in the file are those of P3, so dropping the profile would shift the colour by more than 50.
    const stored = await sharp(bytes, { ignoreIcc: true }).raw().toBuffer();
    expect(stored[1]).toBeGreaterThan(40);
    for (const format of ['webp', 'jpeg', 'png', 'avif'] as const) {
      const full = only(await harness.render(file, { format, preset: 'maximum' }));
      expect(distance(pixel(await decode(full.file), 16, 16), [255, 0, 0, 255])).toBeLessThan(8);
      expect((await header(full.file)).icc).toBeUndefined();
      expect(full.warnings).toEqual([expect.objectContaining({ code: 'colour_converted' })]);
    }
  });

  it('keeps the colours of the P3 photograph', async () => {
    const reference = await decode(
      await harness.store('srgb.png', await sharp(nasty('jpeg-display-p3.jpg')).png().toBuffer()),
    );
    const full = only(await harness.render(nasty('jpeg-display-p3.jpg'), { format: 'png' }));
    expect(difference(await decode(full.file), reference)).toBeLessThan(0.5);
  });

  it.each(['jpeg-cmyk.jpg', 'jpeg-cmyk-no-profile.jpg'])('converts %s to plausible sRGB', async (name) => {
    const sibling = await decode(nasty('jpeg-arithmetic.jpg'));
    for (const format of ['webp', 'jpeg', 'original'] as const) {
      const full = only(await harness.render(nasty(name), { format }));
      const read = await header(full.file);
      expect(read).toMatchObject({ space: 'srgb', channels: 3 });
      expect(read.icc).toBeUndefined();
      expect(full.warnings.map(({ code }) => code)).toContain('cmyk_converted');
      expect(difference(await decode(full.file), sibling)).toBeLessThan(25);
    }
  });

  it('keeps grey as one channel in JPEG and PNG', async () => {
    for (const format of ['jpeg', 'png'] as const) {
      for (const variant of await harness.render(nasty('jpeg-grey.jpg'), { format, widths: [200] })) {
        expect(await header(variant.file)).toMatchObject({ channels: 1, space: 'b-w' });
      }
    }
    const grey16 = await sharp(nasty('jpeg-grey.jpg')).resize(64).toColourspace('grey16').png().toBuffer();
    const file = await harness.store('grey16.png', grey16);
    expect((await header(file)).depth).toBe('ushort');
    const full = only(await harness.render(file, { format: 'png' }));
    expect(await header(full.file)).toMatchObject({ channels: 1, depth: 'uchar' });
    expect(difference(await decode(full.file), await decode(file))).toBeLessThan(1);
  });

  it.each(['png-16bit.png', 'tiff-float32.tif'])('reduces %s to 8 bits', async (name) => {
    const full = only(await harness.render(nasty(name), { format: 'png' }));
    expect((await header(full.file)).depth).toBe('uchar');
    expect(full.warnings.map(({ code }) => code)).toContain('depth_reduced');
    expect(difference(await decode(full.file), await decode(nasty(name)))).toBeLessThan(1);
  });
});

describe('transparency', () => {
  async function halfClear(): Promise<string> {
    const raw = Buffer.alloc(40 * 40 * 4);
    for (let at = 0; at < raw.length; at += 4) raw.set([200, 30, 30, at < raw.length / 2 ? 0 : 128], at);
    const bytes = await sharp(raw, { raw: { width: 40, height: 40, channels: 4 } })
      .png()
      .toBuffer();
    return harness.store('alpha.png', bytes);
  }

  it.each(['webp', 'png', 'avif'] as const)('is kept in %s, in widths too', async (format) => {
    for (const variant of await harness.render(await halfClear(), { format, widths: [20] })) {
      const image = await decode(variant.file);
      expect(pixel(image, 5, 3)[3]).toBeLessThan(6);
      expect(distance(pixel(image, 5, image.height - 4), [200, 30, 30, 128])).toBeLessThan(20);
      expect(variant.warnings).toEqual([]);
    }
  });

  it('becomes white in JPEG, with a warning', async () => {
    const full = only(await harness.render(await halfClear(), { format: 'jpeg', preset: 'maximum' }));
    const image = await decode(full.file);
    expect(distance(pixel(image, 20, 3), [255, 255, 255, 255])).toBeLessThan(10);
    expect(distance(pixel(image, 20, 36), [227, 142, 142, 255])).toBeLessThan(16);
    expect(full.warnings).toEqual([expect.objectContaining({ code: 'alpha_flattened' })]);
  });

  it('without transparent pixels is removed without a warning', async () => {
    const bytes = await sharp({ create: { width: 9, height: 9, channels: 4, background: '#336699' } })
      .png()
      .toBuffer();
    const file = await harness.store('opaque.png', bytes);
    expect((await harness.facts(file)).hasAlpha).toBe(true);
    const full = only(await harness.render(file, { format: 'jpeg' }));
    expect(full.warnings).toEqual([]);
  });
});

describe('size', () => {
  it('is never enlarged, and never 0', async () => {
    const variants = await harness.render(nasty('png-1x1.png'), { format: 'webp', widths: [480] });
    expect(variants.map(({ width, height }) => [width, height])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    const wide = await harness.render(nasty('png-extreme-aspect-20000x1.png'), { format: 'png', widths: [640] });
    expect(wide[1]).toMatchObject({ width: 640, height: 1 });
  });

  it('covers a box by cropping around the centre, and fits inside one', async () => {
    const file = await harness.store('corners.png', await corners());
    const [cover, inside] = await harness.render(file, {
      format: 'png',
      variants: [
        { name: '32w', width: 32, height: 32, fit: 'cover' },
        { name: '40w', width: 40, height: 12, fit: 'inside' },
      ],
    });
    expect(cover).toMatchObject({ width: 32, height: 32 });
    expect(inside).toMatchObject({ width: 16, height: 12 });
    const image = await decode(cover?.file ?? '');
    expect(pixel(image, 2, 2)[0]).toBeGreaterThan(200);
    expect(pixel(image, 29, 2)[0]).toBeLessThan(50);
  });

  it('of AVIF is limited by configuration', async () => {
    const small = await startHarness({ MAX_AVIF_PIXELS: 1000, WORKERS: 1 });
    try {
      await expect(small.render(nasty('jpeg-grey.jpg'), { format: 'avif' })).rejects.toMatchObject({
        code: 'output_too_large',
        details: { limit: 1000, received: 768_000 },
      });
    } finally {
      await small.close();
    }
  });
});

function distance(a: readonly number[], b: readonly number[]): number {
  return Math.max(...a.map((value, index) => Math.abs(value - (b[index] ?? 0))));
}
