import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { expect } from 'vitest';
import type { ImageResult, OutputFormat, Preset, UploadResult } from '#contract';
import { type Eye, openChromiumEye } from '../judge/chromium-eye.ts';
import { type Picture, pixelAt } from '../judge/picture.ts';
import { sharedBrowser } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Largest difference of a channel from the right colour. */
export const TOLERANCE = 6;

/** A service and a browser that looks at its exports. */
export interface FieldRig {
  test: TestService;
  eye: Eye;
  close(): Promise<void>;
}

/** Starts a service with the search, which is on for users, and a browser. */
export async function openFieldRig(): Promise<FieldRig> {
  const test = await startTestService({ QUALITY_SEARCH: 'on' });
  const eye = await openChromiumEye(await sharedBrowser());
  return {
    test,
    eye,
    async close() {
      await eye.close();
      await test.close();
    },
  };
}

/** Reads a file from the field. */
export const bytesOf = (file: string) => readFile(`test/fixtures/field/${file}`);

/** A result with the bytes of its variants. */
export interface Exported {
  result: ImageResult;
  files: Buffer[];
  warnings: string[];
}

/** Exports files in one job, in full and in widths; returns them by name. */
export async function exportAll(
  { test }: FieldRig,
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
async function seen({ eye }: FieldRig, file: Buffer, { mimeType }: ImageResult): Promise<Picture> {
  if (mimeType !== 'image/tiff') return eye.see(file, mimeType ?? '');
  const { data, info } = await sharp(file)
    .pipelineColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Expects a colour at a place, within a tolerance a channel. */
export function expectColour(
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
export const COLOURS: [
  file: string,
  at: [number, number],
  colour: [number, number, number, number],
  warning?: string,
][] = [
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
/** Their paths below the fixtures. */
export const FILES = COLOURS.map(([file]) => `field/${file}`);

/** Exports the files in a format, and expects their colours in full size and in widths. */
export async function expectColours(rig: FieldRig, format: OutputFormat): Promise<void> {
  const exported = await exportAll(rig, await rig.test.api.upload(FILES), format);
  for (const [file, at, colour, warning] of COLOURS) {
    const { result, files, warnings } = exported.get(file) as Exported;
    const shown = result.format === 'jpeg' ? onWhite(colour) : colour;
    for (const [index, bytes] of files.entries()) {
      const { width } = result.variants[index] ?? { width: 0 };
      const scale = width / result.original.width;
      const place = [Math.floor(at[0] * scale), Math.floor(at[1] * scale)] as const;
      // Patches of a few pixels bleed into each other.
      const tolerance = index === 0 ? TOLERANCE : 10;
      expectColour(await seen(rig, bytes, result), place, { colour: shown, tolerance }, `${file} ${width}`);
    }
    if (warning && !result.keptOriginal) expect([file, warnings]).toEqual([file, expect.arrayContaining([warning])]);
  }
}

function onWhite([red = 0, green = 0, blue = 0, alpha = 255]: readonly number[]): number[] {
  return [...[red, green, blue].map((value) => (value * alpha + 255 * (255 - alpha)) / 255), 255];
}
