import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageResult, UploadResult } from '#contract';
import { expectCleanBooks } from '../support/aftermath.ts';
import { expectError } from '../support/error-answers.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { plainImage } from '../support/small-images.ts';

let test: SharedService;
beforeAll(async () => {
  test = await sharedService();
});
afterAll(() => expectCleanBooks(test));

/** A picture whose left half is red and whose right half is blue. */
async function halves(width: number, height: number): Promise<{ name: string; bytes: Buffer }> {
  const half = { width: Math.floor(width / 2), height, channels: 3 as const };
  const left = await sharp({ create: { ...half, background: '#f00' } })
    .png()
    .toBuffer();
  const bytes = await sharp({ create: { width, height, channels: 3, background: '#00f' } })
    .composite([{ input: left, left: 0, top: 0 }])
    .png()
    .toBuffer();
  return { name: 'halves.png', bytes };
}

async function resultsOf(uploaded: UploadResult, settings: object): Promise<ImageResult[]> {
  const { last } = await test.api.run('export', uploaded, settings);
  expect(last.event).toBe('complete');
  return last.data.results as ImageResult[];
}

async function colourOf(url = ''): Promise<'red' | 'blue'> {
  const bytes = Buffer.from(await (await test.api.request(url)).arrayBuffer());
  const { dominant } = await sharp(bytes).stats();
  return dominant.r > dominant.b ? 'red' : 'blue';
}

describe('maxWidth and maxHeight', () => {
  it('scale the whole image down to fit, and the files are what the result says', async () => {
    const uploaded = await test.api.upload([await plainImage('wide.png', { width: 1000, height: 500 })]);
    const settings = { maxWidth: 800, maxHeight: 300, responsive: true, responsiveSizes: [300, 600, 700] };
    const [result] = await resultsOf(uploaded, settings);
    expect(result?.variants.map(({ name, width, height }) => [name, width, height])).toEqual([
      ['full', 600, 300],
      ['300w', 300, 150],
      ['600w', 600, 300],
    ]);
    expect(result?.skippedSizes).toEqual([700]);
    for (const { url, width, height, sha256 } of result?.variants ?? []) {
      const bytes = Buffer.from(await (await test.api.request(url)).arrayBuffer());
      expect(await sharp(bytes).metadata()).toMatchObject({ width, height });
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  it('make one file of a width that is that of full, under both names', async () => {
    const uploaded = await test.api.upload([await plainImage('both.png', { width: 1000, height: 500 })]);
    const settings = { maxWidth: 600, responsive: true, responsiveSizes: [600] };
    const [result] = await resultsOf(uploaded, settings);
    const [full, width] = result?.variants ?? [];
    expect([full?.sha256, full?.width]).toEqual([width?.sha256, 600]);
    for (const { url, size } of result?.variants ?? []) {
      const response = await test.api.request(url);
      expect((await response.arrayBuffer()).byteLength).toBe(size);
    }
  });

  it('shrink files of the format of the upload, and animations', async () => {
    const frames = await sharp({
      create: { width: 60, height: 120, channels: 3, background: '#fa0', pageHeight: 40 } as never,
    })
      .gif()
      .toBuffer();
    const uploaded = await test.api.upload([
      await plainImage('still.png', { width: 100, height: 50 }),
      { name: 'moves.gif', bytes: frames },
    ]);
    const results = await resultsOf(uploaded, { format: 'original', maxWidth: 30 });
    expect(results.map(({ variants, keptOriginal }) => [variants[0]?.width, keptOriginal])).toEqual([
      [30, false],
      [30, false],
    ]);
  });

  it('that nothing exceeds change nothing: the files come from the cache', async () => {
    const uploaded = await test.api.upload([await plainImage('small.png', { width: 120, height: 60 })]);
    const [plain] = await resultsOf(uploaded, {});
    const [limited] = await resultsOf(uploaded, { maxWidth: 120, maxHeight: 65_535 });
    expect(limited).toMatchObject({ fromCache: true, variants: [{ sha256: plain?.variants[0]?.sha256 }] });
  });
});

describe('a focal point', () => {
  const square = { responsive: true, responsiveSizes: [{ width: 100, height: 100, fit: 'cover' }] };

  it('decides what a crop shows; that of an image comes first', async () => {
    const uploaded = await test.api.upload([await halves(600, 200), await halves(602, 200)]);
    const [left] = await resultsOf(uploaded, { ...square, focalPoint: { x: 0, y: 0.5 } });
    const [right] = await resultsOf(uploaded, { ...square, focalPoint: { x: 1, y: 0.5 } });
    expect([await colourOf(left?.variants[1]?.url), await colourOf(right?.variants[1]?.url)]).toEqual(['red', 'blue']);
    // The name belongs to the image; the address tells the two apart.
    expect(left?.variants[1]?.filename).toBe(right?.variants[1]?.filename);
    expect(left?.variants[1]?.url).not.toBe(right?.variants[1]?.url);
    expect(right?.variants[0]?.sha256).toBe(left?.variants[0]?.sha256);

    const images = uploaded.images.map(({ id }, index) => (index ? { id } : { id, focalPoint: { x: 1, y: 0 } }));
    const json = { images, settings: { ...square, focalPoint: { x: 0, y: 0 } } };
    const response = await test.api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json });
    const { results } = JSON.parse(/event: complete\ndata: (.*)/.exec(await response.text())?.[1] ?? '');
    const colours = await Promise.all((results as ImageResult[]).map(({ variants }) => colourOf(variants[1]?.url)));
    expect(colours).toEqual(['blue', 'red']);
  });

  it('without a crop changes neither files nor names', async () => {
    const uploaded = await test.api.upload([await plainImage('plain.png', { width: 90 })]);
    const [plain] = await resultsOf(uploaded, { responsive: true, responsiveSizes: [50] });
    const [aimed] = await resultsOf(uploaded, { responsive: true, responsiveSizes: [50], focalPoint: { x: 0, y: 0 } });
    expect(aimed).toMatchObject({ fromCache: true, variants: plain?.variants ?? [] });
  });
});

describe('refused', () => {
  it.each([
    [{ maxWidth: 15 }, 'settings.maxWidth'],
    [{ maxHeight: 65_536 }, 'settings.maxHeight'],
    [{ maxWidth: 100.5 }, 'settings.maxWidth'],
    [{ maxWidth: '100' }, 'settings.maxWidth'],
    [{ focalPoint: { x: 1.1, y: 0 } }, 'settings.focalPoint.x'],
    [{ focalPoint: { x: 0.5 } }, 'settings.focalPoint.y'],
    [{ focalPoint: 'left' }, 'settings.focalPoint'],
    [{ focalPoint: { x: 0, y: 0, z: 0 } }, 'unknown field "z"'],
  ])('is %j, naming the field, and nothing is charged', async (settings, named) => {
    const uploaded = await test.api.upload([await plainImage('a.png', { width: 40 })]);
    const before = await test.api.balance();
    const json = test.api.exportBody(uploaded, settings);
    const response = await test.api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json });
    const { error } = expectError({ status: response.status, text: await response.text() }, 'invalid_request');
    expect(error).toContain(named);
    expect(await test.api.balance()).toBe(before);
  });
});
