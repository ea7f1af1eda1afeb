import sharp from 'sharp';
import { thumbHashToRGBA } from 'thumbhash';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageResult, UploadResult } from '#contract';
import { expectCleanBooks, metric } from '../support/aftermath.ts';
import { expectError } from '../support/error-answers.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { noiseImage, plainImage } from '../support/small-images.ts';

let test: SharedService;
beforeAll(async () => {
  test = await sharedService();
});
afterAll(() => expectCleanBooks(test));

let seed = 4100;
const noise = (name: string) => noiseImage(name, { seed: seed++ });
const encodes = () => metric(test.url, 'imagewright_encode_seconds_count');

async function resultOf(kind: 'export' | 'sample', uploaded: UploadResult, settings: object): Promise<ImageResult> {
  const { last } = await test.api.run(kind, uploaded, settings);
  expect(last.event).toBe('complete');
  return (last.data.results as ImageResult[])[0] as ImageResult;
}

const keysOf = ({ variants }: ImageResult) =>
  variants.map(({ name, format, filename }) => [name, format, filename.split('.').at(-1)].join(' '));

describe('several formats in one export', () => {
  it('are one credit, and every file is of its format and size', async () => {
    const uploaded = await test.api.upload([await noise('bay.png')]);
    const before = await test.api.balance();
    const settings = { format: 'png', formats: ['avif', 'webp', 'jpeg'], responsive: true, responsiveSizes: [50] };
    const result = await resultOf('export', uploaded, settings);
    expect(before - (await test.api.balance())).toBe(1);
    expect(result).toMatchObject({ format: 'avif', mimeType: 'image/avif', filename: 'bay.avif', creditsCharged: 1 });
    expect(keysOf(result)).toEqual([
      'full avif avif',
      '50w avif avif',
      'full webp webp',
      '50w webp webp',
      'full jpeg jpg',
      '50w jpeg jpg',
    ]);
    for (const { url, format, width, size } of result.variants) {
      const response = await test.api.request(url);
      expect(response.headers.get('Content-Type')).toBe(`image/${format}`);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.length).toBe(size);
      expect(await sharp(bytes).metadata()).toMatchObject({ format: format === 'avif' ? 'heif' : format, width });
    }
    const sizeOf = (wanted: string) => result.variants.find(({ format }) => format === wanted)?.size ?? 0;
    // A browser that knows AVIF knows WebP: a larger AVIF would only cost it bytes.
    const offered = sizeOf('avif') > sizeOf('webp') ? ['webp'] : ['avif', 'webp'];
    const sources = [...(result.html ?? '').matchAll(/<source type="image\/(\w+)"/g)].map(([, format]) => format);
    expect(sources).toEqual(offered);
    expect(result.html).toContain('<img src="bay.jpg"');
  });

  it('reuse the files of a sample, each format by itself', async () => {
    const uploaded = await test.api.upload([await noise('a.png')]);
    const webp = await resultOf('sample', uploaded, { format: 'webp' });
    const before = await encodes();
    const both = await resultOf('export', uploaded, { formats: ['webp', 'jpeg'] });
    expect((await encodes()) - before).toBe(1);
    expect(both.fromCache).toBe(false);
    expect(both.variants[0]?.sha256).toBe(webp.variants[0]?.sha256);
    expect(await resultOf('export', uploaded, { formats: ['webp', 'jpeg'] })).toMatchObject({ fromCache: true });
    expect((await encodes()) - before).toBe(1);
  });

  it('of one entry are the export with that format', async () => {
    const uploaded = await test.api.upload([await noise('b.png')]);
    const plain = await resultOf('export', uploaded, { format: 'jpeg' });
    const listed = await resultOf('export', uploaded, { formats: ['jpeg'] });
    expect(listed).toMatchObject({ fromCache: true, variants: plain.variants });
  });

  it('are made once where original is one of the others', async () => {
    const uploaded = await test.api.upload([await plainImage('c.png', { width: 40 })]);
    expect(keysOf(await resultOf('export', uploaded, { formats: ['original', 'png', 'webp'] }))).toEqual([
      'full png png',
      'full webp webp',
    ]);
  });

  it('keep their names together: a renaming renames all, and old names lead to the file of their format', async () => {
    const uploaded = await test.api.upload([await noise('d.png')]);
    const result = await resultOf('export', uploaded, { formats: ['webp', 'jpeg'] });
    const { sessionId, images } = uploaded;
    const path = `/v1/sessions/${sessionId}/images/${images[0]?.id}`;
    const edited = await test.api.readJson<{ renamedFiles: object[] }>(path, {
      method: 'PATCH',
      json: { metadata: { filename: 'harbour' } },
    });
    expect(edited.renamedFiles).toEqual([
      { from: 'd.webp', to: 'harbour.webp' },
      { from: 'd.jpg', to: 'harbour.jpg' },
    ]);
    for (const { filename, size, format } of result.variants) {
      const old = await test.api.request(`/v1/sessions/${sessionId}/download?filename=${filename}`);
      expect(old.headers.get('Content-Type')).toBe(`image/${format}`);
      expect((await old.arrayBuffer()).byteLength).toBe(size);
    }
  });

  it('with onlySmaller: each file is compared with that of its name, and without any the credit is given back', async () => {
    const uploaded = await test.api.upload([await noise('e.png')]);
    const all = await resultOf('sample', uploaded, { formats: ['webp', 'jpeg'] });
    const [webp = 0, jpeg = 0] = all.variants.map(({ size }) => size);
    expect(webp).not.toBe(jpeg);
    const run = async (bytes: number) => {
      const images = uploaded.images.map(({ id }) => ({ id, replaces: [{ name: 'full', bytes }] }));
      const json = { images, settings: { formats: ['webp', 'jpeg'], onlySmaller: true } };
      const response = await test.api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json });
      const complete = JSON.parse(/event: complete\ndata: (.*)/.exec(await response.text())?.[1] ?? '');
      return { result: complete.results[0] as ImageResult, credits: complete.credits };
    };
    const between = await run(Math.max(webp, jpeg));
    const smaller = webp < jpeg ? 'webp' : 'jpeg';
    expect(between.result).toMatchObject({ format: smaller, creditsCharged: 1 });
    expect(between.result.variants.map(({ format }) => format)).toEqual([smaller]);
    const none = await run(1);
    expect(none.result).toMatchObject({ variants: [], creditsCharged: 0, warnings: [{ code: 'no_gain' }], html: null });
    expect(none.credits).toMatchObject({ charged: 1, refunded: 1 });
  });

  it('leave out one that cannot hold the image, with a warning; alone it fails the image', async () => {
    const wide = await sharp({ create: { width: 17_000, height: 2, channels: 3, background: '#123' } })
      .png()
      .toBuffer();
    const uploaded = await test.api.upload([{ name: 'wide.png', bytes: wide }]);
    const result = await resultOf('export', uploaded, { formats: ['webp', 'png'] });
    expect(keysOf(result)).toEqual(['full png png']);
    expect(result).toMatchObject({ format: 'png', filename: 'wide.png', creditsCharged: 1 });
    expect(result.warnings).toContainEqual({
      code: 'format_skipped',
      message: 'The image is too large for one of the formats, which was left out: webp.',
    });
    const { last } = await test.api.run('export', uploaded, { formats: ['webp', 'avif'] });
    expect(last).toMatchObject({ event: 'error', data: { credits: { charged: 1, refunded: 1 } } });
  });

  it.each([
    [[], 'settings.formats'],
    [['webp', 'webp'], 'expected each format once, but received webp twice'],
    [['webp', 'gif'], 'settings.formats.1: expected one of'],
    ['webp', 'settings.formats'],
  ])('of %j are refused, and nothing is charged', async (formats, named) => {
    const uploaded = await test.api.upload([await plainImage('f.png', { width: 20 })]);
    const json = test.api.exportBody(uploaded, { formats });
    const response = await test.api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json });
    expect(expectError({ status: response.status, text: await response.text() }, 'invalid_request').error).toContain(
      named,
    );
  });
});

describe('a placeholder', () => {
  it('is a ThumbHash of the image, only where it is asked for', async () => {
    const uploaded = await test.api.upload([await plainImage('g.png', { colour: '#c03020', width: 300, height: 200 })]);
    expect(await resultOf('export', uploaded, {})).not.toHaveProperty('placeholder');
    const { placeholder = '', html } = await resultOf('export', uploaded, { placeholder: true });
    const hash = Buffer.from(placeholder, 'base64');
    expect(hash.length).toBeLessThan(30);
    const { w, h, rgba } = thumbHashToRGBA(hash);
    expect(Math.abs(w / h - 1.5)).toBeLessThan(0.2);
    for (const [index, part] of [0xc0, 0x30, 0x20].entries())
      expect(Math.abs((rgba[index] ?? 0) - part)).toBeLessThan(16);
    expect(html).toContain(`data-thumbhash="${placeholder}"`);
  });

  it('of a grey image, an animation and a transparent one works', async () => {
    const grey = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#808080' } })
      .toColourspace('b-w')
      .png()
      .toBuffer();
    const clear = await sharp({ create: { width: 60, height: 40, channels: 4, background: '#0000' } })
      .png()
      .toBuffer();
    const uploaded = await test.api.upload([
      { name: 'grey.png', bytes: grey },
      { name: 'clear.png', bytes: clear },
    ]);
    const { last } = await test.api.run('export', uploaded, { placeholder: true });
    for (const { placeholder } of last.data.results as ImageResult[]) expect(placeholder).toMatch(/^[\w+/]{8,}=*$/);
  });
});
