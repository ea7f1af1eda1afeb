import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AnalysisReport, ImageResult, Metadata, UploadResult } from '#contract';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { plainImages } from '../support/small-images.ts';

let test: SharedService;
let uploaded: UploadResult;
beforeAll(async () => {
  test = await sharedService();
  uploaded = await test.api.upload(await plainImages(1));
});

describe('an unknown field of the settings', () => {
  it.each([
    ['responsiveSize', [100], 'settings: unknown field "responsiveSize"; did you mean responsiveSizes?'],
    ['Format', 'avif', 'settings: unknown field "Format"; did you mean format?'],
    ['presett', 'low', 'settings: unknown field "presett"; did you mean preset?'],
    ['zzz', 1, 'settings: unknown field "zzz"; expected only format, preset, responsive, responsiveSizes, '],
  ])('%s is refused, and nothing is charged', async (name, value, message) => {
    const before = await test.api.balance();
    for (const path of [`sessions/${uploaded.sessionId}/export`, `sessions/${uploaded.sessionId}/sample`, 'export']) {
      const json = test.api.exportBody(uploaded, { [name]: value });
      const response = await test.api.request(`/v1/${path}`, { json });
      const { code, error } = await response.json();
      expect([response.status, code]).toEqual([400, 'invalid_request']);
      expect(error).toContain(message);
    }
    expect(await test.api.balance()).toBe(before);
  });

  it('inside a size or the options of an analysis is refused, too', async () => {
    const { sessionId } = uploaded;
    const sizes = { responsive: true, responsiveSizes: [{ width: 100, heigth: 50 }] };
    const json = test.api.exportBody(uploaded, sizes);
    const size = await (await test.api.request(`/v1/sessions/${sessionId}/export`, { json })).json();
    expect(size.error).toContain('did you mean height?');
    const options = { json: { options: { langauge: 'de' } } };
    const analysis = await (await test.api.request(`/v1/sessions/${sessionId}/analyze`, options)).json();
    expect(analysis.error).toContain('did you mean language?');
  });
});

describe('the metadata of an image in a request', () => {
  async function exportWith(metadata: object): Promise<ImageResult> {
    const images = uploaded.images.map(({ id }) => ({ id, metadata }));
    const json = { images, settings: { format: 'jpeg', embedMetadata: true } };
    const response = await test.api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json });
    const complete = /event: complete\ndata: (.*)/.exec(await response.text())?.[1] ?? '';
    return JSON.parse(complete).results[0];
  }

  it('may be the metadata of an analysis, unchanged; caption and tags are written into the file', async () => {
    const { sessionId, images } = uploaded;
    const texts = { alt: 'A blue field', caption: 'Blue from edge to edge', tags: ['blue', 'plain'] };
    await test.api.readJson(`/v1/sessions/${sessionId}/images/${images[0]?.id}`, {
      method: 'PATCH',
      json: { metadata: texts },
    });
    await (await test.api.request(`/v1/sessions/${sessionId}/analyze`, { json: {} })).text();
    const report = await test.api.readJson<AnalysisReport>(`/v1/sessions/${sessionId}/analysis`);
    const metadata = report.images[0]?.metadata as Metadata;
    const result = await exportWith(metadata);
    expect(result).toMatchObject({ status: 'completed', warnings: [], metadata: { alt: texts.alt } });
    const file = await (await test.api.request(result.variants[0]?.url ?? '')).arrayBuffer();
    const { xmp } = await sharp(Buffer.from(file)).metadata();
    for (const text of [texts.alt, texts.caption, ...texts.tags]) expect(xmp?.toString()).toContain(text);
  });

  it('warns of fields that no analysis returns, or that are not as expected, and exports the image', async () => {
    const result = await exportWith({ alt: 'A', photographer: 'Ada', tags: 'blue', constructor: 1 });
    expect(result.status).toBe('completed');
    expect(result.warnings).toEqual([
      {
        code: 'unknown_field',
        message:
          'Fields of the metadata are unknown or not as expected, and were ignored: photographer, tags, constructor.',
      },
    ]);
  });
});
