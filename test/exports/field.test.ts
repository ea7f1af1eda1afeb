import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageResult, OutputFormat, Preset, UploadResult } from '#contract';
import { type Eye, openChromiumEye } from '../judge/chromium-eye.ts';
import { distanceOf, type Picture, pixelAt } from '../judge/picture.ts';
import { sharedBrowser } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';

const FORMATS = ['webp', 'avif', 'jpeg', 'png', 'original'] as const;
const TOLERANCE = 6;

let test: TestService;
let eye: Eye;
beforeAll(async () => {
  // The search scores files, and is on for users.
  test = await startTestService({ QUALITY_SEARCH: 'on' });
  eye = await openChromiumEye(await sharedBrowser());
});
afterAll(async () => {
  await eye.close();
  await test.close();
});

const bytesOf = (file: string) => readFile(`test/fixtures/field/${file}`);

/** A result with the bytes of its variants. */
interface Exported {
  result: ImageResult;
  files: Buffer[];
  warnings: string[];
}

/** Exports files in one job, in full and in widths; returns them by name. */
async function exportAll(
  uploaded: UploadResult,
  format: OutputFormat,
  preset: Preset = 'maximum',
  kind: 'export' | 'sample' = 'export',
): Promise<Map<string, Exported>> {
  const settings = { format, preset, responsive: true, responsiveSizes: [48] };
  const { last } = await test.api.run(kind, uploaded, settings);
  const exported = (last.data.results as ImageResult[]).map(async (result) => {
    if (result.status === 'failed') throw new Error(`${result.originalFilename}: ${result.error?.message}`);
    const files = result.variants.map(async ({ url }) =>
      Buffer.from(await (await test.api.request(url)).arrayBuffer()),
    );
    const warnings = result.warnings.map(({ code }) => code);
    return [result.originalFilename, { result, files: await Promise.all(files), warnings }] as const;
  });
  return new Map(await Promise.all(exported));
}

/** Returns what is seen of a variant. Browsers show no TIFF: a kept one is the upload, the encoded one has 8 bits of sRGB. */
async function seen(file: Buffer, { mimeType }: ImageResult): Promise<Picture> {
  if (mimeType !== 'image/tiff') return eye.see(file, mimeType ?? '');
  const { data, info } = await sharp(file)
    .pipelineColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function expectColour(
  picture: Picture,
  [x, y]: readonly [number, number],
  { colour, tolerance }: { colour: readonly number[]; tolerance: number },
  note: string,
): void {
  const found = pixelAt(picture, x, y);
  // The colour of what is not seen does not count.
  const [given, wanted] = [found, colour].map((one) => onWhite(one).concat(one[3] ?? 255));
  const difference = Math.max(...(given ?? []).map((value, channel) => Math.abs(value - (wanted?.[channel] ?? 0))));
  expect({ note, found, isNear: difference <= tolerance }).toEqual({ note, found, isNear: true });
}

/** Files with the colour that must be seen at a place, and a warning that is expected. */
const COLOURS: [file: string, at: [number, number], colour: [number, number, number, number], warning?: string][] = [
  ['card.png', [8, 8], [255, 0, 0, 255]],
  ['rgb16-srgb.png', [8, 8], [255, 0, 0, 255]],
  ['t-16srgb.tif', [8, 8], [255, 0, 0, 255]],
  ['rgb16-adobe.png', [56, 24], [224, 121, 88, 255]],
  ['grey16-g10.png', [8, 8], [79, 79, 79, 255]],
  ['gama-linear.png', [8, 24], [188, 188, 188, 255]],
  ['cicp-p3.png', [56, 24], [213, 115, 83, 255]],
  ['a-p3.avif', [56, 24], [213, 115, 85, 255]],
  ['cicp-pq.png', [8, 24], [154, 154, 154, 255], 'hdr_dropped'],
  ['a-pq10.avif', [8, 24], [154, 154, 154, 255], 'hdr_dropped'],
  ['a-hlg.avif', [8, 24], [125, 125, 125, 255], 'hdr_dropped'],
  ['a-premult.avif', [8, 8], [255, 0, 0, 128]],
  ['g-small-first.gif', [28, 20], [0, 0, 0, 0]],
  // In the last row of blocks, which a decoder that stops early does not reach.
  ['j-noeoi.jpg', [8, 88], [17, 229, 156, 255]],
];
const FILES = COLOURS.map(([file]) => `field/${file}`);

describe.each(FORMATS)('files from the field in %s', (format) => {
  it('have their right colours, in widths too', async () => {
    const exported = await exportAll(await test.api.upload(FILES), format);
    for (const [file, at, colour, warning] of COLOURS) {
      const { result, files, warnings } = exported.get(file) as Exported;
      const shown = result.format === 'jpeg' ? onWhite(colour) : colour;
      for (const [index, bytes] of files.entries()) {
        const { width } = result.variants[index] ?? { width: 0 };
        const scale = width / result.original.width;
        const place = [Math.floor(at[0] * scale), Math.floor(at[1] * scale)] as const;
        // Patches of a few pixels bleed into each other.
        const tolerance = index === 0 ? TOLERANCE : 10;
        expectColour(await seen(bytes, result), place, { colour: shown, tolerance }, `${file} ${width}`);
      }
      if (warning && !result.keptOriginal) expect([file, warnings]).toEqual([file, expect.arrayContaining([warning])]);
    }
  });
});

describe('files from the field', () => {
  it('have their right colours in previews and samples', async () => {
    const uploaded = await test.api.upload(FILES);
    const samples = new Map<string, Exported>();
    for (let from = 0; from < uploaded.images.length; from += 5) {
      const part = { ...uploaded, images: uploaded.images.slice(from, from + 5) };
      for (const [file, sample] of await exportAll(part, 'webp', 'maximum', 'sample')) samples.set(file, sample);
    }
    for (const [index, [file, at, colour]] of COLOURS.entries()) {
      const path = `/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[index]?.id}/preview?width=320`;
      const preview = Buffer.from(await (await test.api.request(path)).arrayBuffer());
      const { files } = samples.get(file) as Exported;
      for (const [note, bytes] of Object.entries({ preview, sample: files[0] as Buffer })) {
        expectColour(await eye.see(bytes, 'image/webp'), at, { colour, tolerance: TOLERANCE }, `${file} ${note}`);
      }
    }
  });

  it('of flat colours and exact formats have the score of unchanged pixels, which are right', async () => {
    const exported = await exportAll(await test.api.upload(['field/rgb16-srgb.png', 'field/gama-linear.png']), 'png');
    for (const { result } of exported.values()) expect(result.quality.score).toBe(100);
  });
});

describe('an animation with frames that are equal', () => {
  const files = ['d-real.gif', 'd-all.gif', 'd-control.gif', 'w-dup.webp', 'g-ui.gif', 'g-small-first.gif'];

  it('keeps its duration and repetitions', async () => {
    const uploaded = await test.api.upload(files.map((file) => `field/${file}`));
    for (const [format, preset] of [
      ['webp', 'low'],
      ['original', 'low'],
    ] as const) {
      for (const [file, { files }] of await exportAll(uploaded, format, preset)) {
        const source = await sharp(await bytesOf(file), { animated: true }).metadata();
        for (const [index, bytes] of files.entries()) {
          const read = await sharp(bytes, { animated: true }).metadata();
          const note = `${file} ${format} ${preset} ${index}`;
          expect([note, sum(read.delay ?? []), read.loop]).toEqual([note, sum(source.delay ?? []), source.loop]);
        }
      }
    }
  });

  it('is scored by what it shows at the same time, and shows its first frame', async () => {
    const exported = await exportAll(await test.api.upload(files.map((file) => `field/${file}`)), 'webp', 'high');
    for (const [file, { result, files }] of exported) {
      expect([file, result.quality.score, (result.quality.score ?? 0) > 70]).toEqual([
        file,
        result.quality.score,
        true,
      ]);
      const shown = await eye.see(files[0] as Buffer, 'image/webp');
      const upload = await eye.see(await bytesOf(file), result.original.format === 'gif' ? 'image/gif' : 'image/webp');
      const distance = distanceOf(upload, shown);
      expect([file, distance, distance.mean < 4]).toEqual([file, distance, true]);
    }
  });

  it('of flat colours is as small as lossless WebP at high presets', async () => {
    const lossless = await sharp(await bytesOf('g-ui.gif'), { animated: true })
      .webp({ lossless: true })
      .toBuffer();
    for (const preset of ['maximum', 'high'] as const) {
      const exported = await exportAll(await test.api.upload(['field/g-ui.gif']), 'webp', preset);
      expect(exported.get('g-ui.gif')?.files[0]?.length).toBeLessThanOrEqual(1.1 * lossless.length);
    }
  });
});

describe('a file that cannot be shown rightly', () => {
  it.each(['a-anim.avif', 't-ycbcr.tif'])('%s is refused as unsupported', async (file) => {
    await expect(test.api.upload([`field/${file}`])).rejects.toThrow(/^415 .*unsupported_image/);
  });

  it('since it lacks pixels stays refused', async () => {
    const whole = await bytesOf('j-noeoi.jpg');
    const cut = [3, 20, 400].map((missing) => ({
      name: `${missing}.jpg`,
      bytes: whole.subarray(0, whole.length - missing),
    }));
    const { last } = await test.api.run('export', await test.api.upload(cut), { format: 'webp' });
    expect((last.data.results as ImageResult[]).map(({ error }) => error?.code)).toEqual(
      cut.map(() => 'invalid_image'),
    );
  });
});

function onWhite([red = 0, green = 0, blue = 0, alpha = 255]: readonly number[]): number[] {
  return [...[red, green, blue].map((value) => (value * alpha + 255 * (255 - alpha)) / 255), 255];
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
