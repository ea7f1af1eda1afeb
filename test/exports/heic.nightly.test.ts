import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Image, ImageResult, Limits, UploadResult } from '#contract';
import { expectCleanBooks } from '../support/aftermath.ts';
import { FIXTURES } from '../support/api-client.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Colours of the patches, 32 x 32 pixels each, in two rows (`make.mjs`). */
const PATCHES = [
  [255, 0, 0],
  [20, 200, 60],
  [30, 60, 220],
  [200, 120, 90],
  [12, 12, 12],
  [128, 128, 128],
  [230, 200, 60],
  [255, 255, 255],
];
/** The same numbers of Display P3 in sRGB, as a browser shows them. */
const FROM_P3 = [
  [255, 0, 0],
  [0, 204, 10],
  [18, 60, 229],
  [213, 115, 83],
  [12, 12, 12],
  [128, 128, 128],
  [236, 199, 0],
  [255, 255, 255],
];
/** Transparency of three of them. */
const ALPHA = [255, 255, 128, 255, 255, 60, 255, 0];
const FORMATS = ['webp', 'avif', 'jpeg', 'png', 'original'] as const;

let test: TestService;
beforeAll(async () => {
  test = await startTestService({ HEIC_INPUT: 'on' });
});
afterAll(() => test.close());

const upload = (...names: string[]) => test.api.upload(names.map((name) => `heic/${name}.heic`));

async function exported(uploaded: UploadResult, settings: object, kind: 'export' | 'sample' = 'export') {
  const { last } = await test.api.run(kind, uploaded, { preset: 'maximum', ...settings });
  const [result] = last.data.results as ImageResult[];
  if (!result || result.status === 'failed') throw new Error(result?.error?.message);
  const files = await Promise.all(result.variants.map(({ url }) => bytesAt(url)));
  return { result, files, full: files[0] as Buffer, warnings: result.warnings.map(({ code }) => code) };
}

async function bytesAt(path: string): Promise<Buffer> {
  const response = await test.api.request(path);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

async function decoded(file: Buffer) {
  const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  return {
    width,
    height,
    at: (x: number, y: number) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)],
  };
}

/** Expects the colours in the middle of the patches. @param place of a patch's middle, by column and row, in parts of the picture */
async function expectPatches(
  file: Buffer,
  colours: number[][],
  { tolerance = 3, place = (x, y) => [x, y] }: { tolerance?: number; place?: (x: number, y: number) => number[] } = {},
): Promise<void> {
  const picture = await decoded(file);
  for (const [index, colour] of colours.entries()) {
    const [x = 0, y = 0] = place(((index % 4) + 0.5) / 4, (Math.floor(index / 4) + 0.5) / 2);
    const found = picture.at(Math.floor(x * picture.width), Math.floor(y * picture.height));
    const distance = Math.max(...colour.map((value, channel) => Math.abs(value - (found[channel] ?? 0))));
    expect({ index, colour, found, isNear: distance <= tolerance }).toMatchObject({ index, isNear: true });
  }
}

/** Converts a place, as shares of width and height, to that after a quarter turn clockwise. */
const clockwise = (x: number, y: number) => [1 - y, x];
const counterclockwise = (x: number, y: number) => [y, 1 - x];

describe('a HEIC', () => {
  it('is named among the formats, and described in the answer of its upload', async () => {
    const { formats } = await test.api.readJson<Limits>('/v1/limits');
    expect(formats).toContain('heic');
    const images: Image[] = [];
    for (const name of ['plain', 'deep', 'turned', 'p3', 'alpha', 'several'])
      images.push(...(await upload(name)).images);
    const facts = images.map((image) => [image.width, image.height, image.hasAlpha, image.pages]);
    expect(facts).toEqual([
      [128, 64, false, 1],
      [256, 4, false, 1],
      [64, 128, false, 1],
      [128, 64, false, 1],
      [128, 64, true, 1],
      [128, 64, false, 2],
    ]);
    for (const { format, mimeType, uploadPath } of images) {
      expect([format, mimeType]).toEqual(['heic', 'image/heic']);
      expect(uploadPath).toMatch(/\.heic$/);
    }
    expect(images.map(({ warnings }) => warnings.map(({ code }) => code))).toEqual([
      [],
      [],
      [],
      [],
      [],
      ['pages_dropped'],
    ]);
    expect(images.map(({ carries }) => carries?.map(({ kind }) => kind))).toEqual([
      [],
      ['depth'],
      ['orientation'],
      ['icc_profile'],
      ['alpha'],
      ['pages'],
    ]);
  });

  it.each(FORMATS)('becomes %s with its colours, in widths too', async (format) => {
    const { result, files } = await exported(await upload('exact'), {
      format,
      responsive: true,
      responsiveSizes: [64],
    });
    expect(result).toMatchObject({ keptOriginal: false, warnings: [] });
    expect(result.variants.map(({ width, height }) => [width, height])).toEqual([
      [128, 64],
      [64, 32],
    ]);
    for (const file of files) await expectPatches(file, PATCHES, { tolerance: 6 });
    const { format: written } = await sharp(files[0]).metadata();
    expect(written).toBe({ avif: 'heif', original: 'jpeg' }[format as string] ?? format);
    expect(result.filename).toMatch(format === 'original' ? /^exact\.jpg$/ : /^exact\./);
  });

  it('of a camera, with halved colours, shows them', async () => {
    const { full } = await exported(await upload('plain'), { format: 'png' });
    await expectPatches(full, PATCHES, { tolerance: 6 });
  });

  it('with 10 bits keeps every step that 8 bits can show', async () => {
    const { full, warnings } = await exported(await upload('deep'), { format: 'png' });
    const picture = await decoded(full);
    const steps = Array.from({ length: 1024 }, (_, step) => picture.at(step % 256, Math.floor(step / 256)));
    const distances = steps.map(([red = 0], step) => Math.abs(red - (step * 255) / 1023));
    expect(Math.max(...distances)).toBeLessThanOrEqual(1);
    expect(steps.every(([red, green, blue]) => red === green && green === blue)).toBe(true);
    expect(warnings).toEqual(['depth_reduced']);
  });

  it('is turned once, though EXIF says it too', async () => {
    const { full } = await exported(await upload('turned'), { format: 'png' });
    await expectPatches(full, PATCHES, { tolerance: 8, place: clockwise });
    expect((await sharp(full).metadata()).orientation ?? 1).toBe(1);
    const mirrored = await exported(await upload('mirrored'), { format: 'png' });
    await expectPatches(mirrored.full, PATCHES, { tolerance: 6, place: (x, y) => [1 - x, y] });
  });

  it('is not turned by EXIF alone', async () => {
    const { full } = await exported(await upload('exif-turned'), { format: 'png' });
    await expectPatches(full, PATCHES, { tolerance: 6 });
  });

  it.each([
    ['p3', PATCHES],
    ['deep-p3', FROM_P3],
    ['nclx-p3', FROM_P3],
  ])('of wide gamut (%s) is converted', async (name, colours) => {
    for (const format of ['png', 'webp'] as const) {
      const { full, warnings } = await exported(await upload(name), { format });
      await expectPatches(full, colours, { tolerance: 4 });
      expect(warnings).toContain('colour_converted');
    }
  });

  it('of a telephone, of tiles and turned, has its colours; its gain map is named', async () => {
    const uploaded = await upload('phone');
    expect(uploaded.images[0]).toMatchObject({ width: 64, height: 128, pages: 1 });
    const { full, warnings } = await exported(uploaded, { format: 'jpeg' });
    await expectPatches(full, FROM_P3, { tolerance: 6, place: counterclockwise });
    expect(warnings.sort()).toEqual(['colour_converted', 'hdr_dropped']);
    // It cannot stay HEIC, so the format that was asked for counts.
    const kept = await exported(uploaded, { format: 'webp', hdr: 'keep' });
    expect([kept.result.format, kept.warnings.sort()]).toEqual(['webp', ['colour_converted', 'hdr_dropped']]);
  });

  it('keeps its transparency', async () => {
    const { full } = await exported(await upload('alpha'), { format: 'webp' });
    const visible = PATCHES.map((colour, index) => [...colour, ALPHA[index] ?? 0]).filter(([, , , alpha]) => alpha);
    await expectPatches(full, visible, { tolerance: 6 });
    const { full: flat, warnings } = await exported(await upload('alpha'), { format: 'original' });
    expect((await decoded(flat)).at(112, 48)).toEqual([255, 255, 255, 255]);
    expect(warnings).toContain('alpha_flattened');
  });

  it('of several pictures is exported as its main one', async () => {
    const { full, warnings } = await exported(await upload('several'), { format: 'png' });
    await expectPatches(full, PATCHES, { tolerance: 6 });
    expect(warnings).toEqual(['pages_dropped']);
  });

  it('keeps the rights of EXIF and XMP, and nothing private', async () => {
    const uploaded = await upload('rights');
    const kinds = uploaded.images[0]?.carries?.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['creator', 'copyright', 'digital_source', 'camera', 'place']));
    const { full } = await exported(uploaded, { format: 'original' });
    const { exif, xmpAsString } = await sharp(full).metadata();
    expect(exif?.includes('Ada Example')).toBe(true);
    expect(exif?.includes('Camera 1')).toBe(false);
    expect(xmpAsString).toContain('digitalCapture');
    expect(xmpAsString).not.toMatch(/GPS/);
    const { full: more } = await exported(uploaded, { format: 'webp', metadata: 'all-but-private' });
    expect((await sharp(more).metadata()).exif?.includes('Camera 1')).toBe(true);
  });

  it('has a preview, a sample, a placeholder and texts', async () => {
    const uploaded = await upload('exact');
    const [image] = uploaded.images;
    const path = `/v1/sessions/${uploaded.sessionId}`;
    await expectPatches(await bytesAt(`${path}/images/${image?.id}/preview?width=320`), PATCHES, { tolerance: 8 });
    const sample = await exported(uploaded, { format: 'webp', placeholder: true }, 'sample');
    await expectPatches(sample.full, PATCHES, { tolerance: 6 });
    expect(sample.result.placeholder).toMatch(/^[\w+/=]{20,}$/);
    const again = await exported(uploaded, { format: 'webp' });
    expect(again.result.fromCache).toBe(true);
    const response = await test.api.request(`${path}/analyze`, { json: {} });
    expect(await response.text()).toContain('event: complete');
  });

  it('that is cut off fails alone and costs nothing', async () => {
    const cut = (await readFile(`${FIXTURES}heic/exact.heic`)).subarray(0, -600);
    const before = await test.api.balance();
    const uploaded = await test.api.upload([{ name: 'cut.heic', bytes: cut }, 'heic/plain.heic']);
    const { last } = await test.api.run('export', uploaded, { format: 'webp' });
    const results = last.data.results as ImageResult[];
    expect(results.map(({ status }) => status)).toEqual(['failed', 'completed']);
    expect(results[0]?.error).toMatchObject({
      code: 'invalid_image',
      message: expect.stringMatching(/^The file is damaged/),
    });
    expect(await test.api.balance()).toBe(before - 1);
    await expectCleanBooks(test);
  });
});

describe('a HEIC where the setting is off', () => {
  it('is refused with what to do', async () => {
    const off = await startTestService();
    try {
      const { formats } = await off.api.readJson<Limits>('/v1/limits');
      expect(formats).not.toContain('heic');
      const refused = off.api.upload(['heic/plain.heic']);
      await expect(refused).rejects.toThrow(/^415 .*export the photo as JPEG.*HEIC_INPUT=on/);
    } finally {
      await off.close();
    }
  });
});
