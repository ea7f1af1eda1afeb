import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withGifTransparency } from '../../server/processing/worker/containers/gif.ts';
import { writeGif } from '../judge/gif-file.ts';
import { pngMatrix } from '../judge/matrix.ts';
import { decode, difference, type Harness, header, nasty, only, photo, startHarness } from './processor-harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const DELAYS = [100, 200, 300, 400];

/** Four frames of one colour each, with different delays, played three times. */
async function fourFrames(format: 'gif' | 'webp'): Promise<string> {
  const frames = Buffer.concat(['#f00', '#0f0', '#00f', '#fff'].map((colour) => solid(colour)));
  const raw = { width: 64, height: 128, channels: 3 as const, pageHeight: 32 };
  const bytes = await sharp(frames, { raw, pages: -1 })[format]({ delay: DELAYS, loop: 3 }).toBuffer();
  return harness.store(`frames.${format}`, bytes);
}

function solid(colour: string): Buffer {
  const channels = [...colour.slice(1)].map((digit) => Number.parseInt(digit + digit, 16));
  return Buffer.alloc(64 * 32 * 3, Uint8Array.from(channels));
}

describe('animation', () => {
  it.each(['gif', 'webp'] as const)(
    'of a %s keeps frames, delays and repetitions in WebP, in widths too',
    async (input) => {
      const file = await fourFrames(input);
      expect(await harness.facts(file)).toMatchObject({ pages: 4, width: 64, height: 32 });
      const variants = await harness.render(file, { format: 'webp', preset: 'maximum', widths: [32] });
      for (const [index, variant] of variants.entries()) {
        const read = await header(variant.file);
        expect(read).toMatchObject({
          pages: 4,
          delay: DELAYS,
          loop: 3,
          width: 64 / (index + 1),
          pageHeight: 32 / (index + 1),
        });
        expect(variant).toMatchObject({ width: 64 / (index + 1), height: 32 / (index + 1), warnings: [] });
        for (const [page, colour] of ['#f00', '#0f0', '#00f', '#fff'].entries()) {
          const frame = await sharp(variant.file, { page })
            .removeAlpha()
            .resize(64, 32, { kernel: 'nearest' })
            .raw()
            .toBuffer();
          expect(difference({ data: frame }, { data: solid(colour) })).toBeLessThan(6);
        }
      }
    },
  );

  it('of a GIF stays a GIF in the original format: unchanged bytes for full, fewer pixels for widths', async () => {
    const [full, small] = await harness.render(nasty('animated.gif'), { format: 'original', widths: [160] });
    expect(full).toMatchObject({ keptOriginal: true, format: 'gif', warnings: [] });
    expect(await header(small?.file ?? '')).toMatchObject({ pages: 8, width: 160, pageHeight: 90, loop: 0 });
    expect(small?.size).toBeLessThan(full?.size ?? 0);
  });

  it.each(['webp', 'original'] as const)(
    'whose times and repetitions are more than encoders take is exported as %s with the most they take',
    async (format) => {
      const bytes = await readFile(await fourFrames('gif'));
      // 32,768 and 65,535 hundredths of a second; 65,535 repetitions are 65,536 times.
      bytes.writeUInt16LE(32_768, bytes.indexOf('\x21\xf9', 0, 'latin1') + 4);
      bytes.writeUInt16LE(65_535, bytes.lastIndexOf('\x21\xf9', undefined, 'latin1') + 4);
      bytes.writeUInt16LE(65_535, bytes.indexOf('NETSCAPE2.0', 0, 'latin1') + 13);
      const file = await harness.store(`long.${format}.gif`, bytes);
      const small = (await harness.render(file, { format, widths: [32] })).at(-1);
      const most = format === 'webp' ? 65_535 : 65_540;
      expect(await header(small?.file ?? '')).toMatchObject({ pages: 4, delay: [most, 200, 300, most] });
      expect((await header(small?.file ?? '')).loop).toBeGreaterThan(65_000);
    },
  );

  describe('of a GIF that declares no transparent colour', () => {
    const seen = { area: [0, 0, 8, 8], colours: 90 } as const;
    const last = { area: [20, 20, 4, 4], colours: 200 } as const;

    it.each([
      ['a cleared part', [{ colours: 40 }, { ...seen, disposal: 2 }, last]],
      ['a cleared first frame', [{ colours: 40, disposal: 2 }, last, last]],
      ['a first frame that is taken back', [{ colours: 40, disposal: 3 }, last, last]],
    ] as const)('shows %s transparent, as browsers do', async (name, frames) => {
      const file = await harness.store(`${name}.gif`, writeGif(32, 32, frames));
      expect((await harness.facts(file)).hasAlpha).toBe(true);
      const { file: made } = only(await harness.render(file, { format: 'webp', preset: 'maximum' }));
      const { pages = 1 } = await header(made);
      const { data } = await sharp(made, { page: pages - 1 })
        .raw()
        .toBuffer({ resolveWithObject: true });
      // The upper left pixel, and one of the last frame.
      expect(data[3]).toBe(0);
      expect([...data.subarray((21 * 32 + 21) * 4, (21 * 32 + 21) * 4 + 4)]).toEqual([200, 200, 200, 255]);
    });

    it.each([255, 256])('keeps every pixel of a cleared frame of %s colours', async (count) => {
      const colours = Array.from({ length: 32 * 32 }, (_, at) => (at * 7) % count);
      const bytes = writeGif(32, 32, [{ colours, disposal: 2 }, last]);
      const { file } = only(
        await harness.render(await harness.store(`${count}.gif`, bytes), { format: 'webp', preset: 'maximum' }),
      );
      const { data } = await sharp(file, { page: 0 }).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
      expect(colours.filter((_, at) => data[at * 4 + 3] !== 255)).toEqual([]);
      expect(colours.filter((colour, at) => Math.abs((data[at * 4] ?? 0) - colour) > 6)).toEqual([]);
    });

    it('finds the free colours of a real encoder', async () => {
      const encoded = await sharp(photo('photo-dandelion.jpg')).resize(300).gif({ dither: 0 }).toBuffer();
      encoded[encoded.indexOf('\x21\xf9', 0, 'latin1') + 3] = 8;
      const decoded = (file: Buffer) => sharp(file).ensureAlpha().raw().toBuffer();
      const patched = withGifTransparency(encoded);
      expect(await decoded(patched ?? encoded)).toEqual(await decoded(encoded));
    });
  });

  it.each(['jpeg', 'png', 'avif'] as const)('becomes its first frame in %s, with a warning', async (format) => {
    const file = await fourFrames('gif');
    const full = only(await harness.render(file, { format }));
    expect(full.warnings).toEqual([expect.objectContaining({ code: 'animation_dropped' })]);
    const { data } = await decode(full.file);
    expect(data[0]).toBeGreaterThan(240);
    expect(data[1]).toBeLessThan(15);
  });

  it('of an APNG is untouched in the original format, moves as WebP and is dropped with a warning elsewhere', async () => {
    const file = nasty('animated-apng.png');
    expect((await harness.facts(file)).pages).toBe(8);
    const [kept, small] = await harness.render(file, { format: 'original', widths: [100] });
    expect(kept).toMatchObject({ keptOriginal: true, size: 343_545, warnings: [] });
    expect(small?.warnings).toEqual([expect.objectContaining({ code: 'animation_dropped' })]);
    const webp = only(await harness.render(file, { format: 'webp' }));
    expect(webp.warnings).toEqual([]);
    expect((await header(webp.file)).pages).toBe(8);
  });

  it('of an APNG of one frame that is not the picture of the file is a still of that frame, so that nothing is lost', async () => {
    const hidden = pngMatrix().find(({ name }) => name === 'png animated, other picture');
    const file = await harness.store('hidden.png', hidden?.bytes ?? Buffer.alloc(0));
    expect((await harness.facts(file)).pages).toBe(1);
    const still = only(await harness.render(file, { format: 'png' }));
    expect(still.warnings).toEqual([]);
    // Chromium shows the frame, too: apng.test.ts.
    expect((await decode(still.file)).data.subarray(0, 3)).toEqual(Buffer.from([90, 90, 90]));
  });

  it('with too many frames or pixels over all frames is refused at the probe', async () => {
    const strict = await startHarness({ MAX_FRAMES: 7, WORKERS: 1 });
    await expect(strict.facts(nasty('animated.gif'))).rejects.toMatchObject({
      code: 'too_many_frames',
      details: { limit: 7, received: 8 },
    });
    await strict.close();
    const small = await startHarness({ MAX_PIXELS: 320 * 180 * 8 - 1, WORKERS: 1 });
    await expect(small.facts(nasty('animated.webp'))).rejects.toMatchObject({ code: 'too_many_pixels' });
    // Its frames are decoded, too.
    await expect(small.facts(nasty('animated-apng.png'))).rejects.toMatchObject({ code: 'too_many_pixels' });
    await small.close();
  });

  it('of a multi-page TIFF is its first page, with a warning', async () => {
    const full = only(await harness.render(nasty('tiff-multipage.tif'), { format: 'webp' }));
    expect(full).toMatchObject({ width: 1200, height: 640 });
    expect(full.warnings).toEqual([expect.objectContaining({ code: 'pages_dropped' })]);
  });
});
