import sharp from 'sharp';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Image, ImageResult, UploadResult } from '#contract';
import { readXmp } from '../../server/processing/worker/inspect/inspect-image.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { plainImages } from '../support/small-images.ts';

let test: SharedService;
let uploaded: UploadResult;
beforeAll(async () => {
  test = await sharedService();
});
beforeEach(async () => {
  uploaded = await test.api.upload(await plainImages(1));
});

/** Edits the image. */
function edit(json: object): Promise<Image> {
  const path = `/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[0]?.id}`;
  return test.api.readJson<Image>(path, { method: 'PATCH', json });
}

/** Gives the image texts in English and German. */
const describeInTwo = () =>
  edit({
    metadata: { filename: 'bicycle' },
    texts: { en: { alt: 'A bicycle', title: 'Bike' }, de: { alt: 'Ein Rad', title: 'Rad', tags: ['rad'] } },
  });

async function exportImage(settings: object): Promise<{ result: ImageResult; packet: string }> {
  const { last } = await test.api.run('export', uploaded, { format: 'jpeg', ...settings });
  if (last.event !== 'complete') throw new Error('expected completion');
  const result = last.data.results[0] as ImageResult;
  const file = await test.api.request(result.variants[0]?.url ?? '');
  const { xmpAsString = '' } = await sharp(Buffer.from(await file.arrayBuffer())).metadata();
  return { result, packet: xmpAsString };
}

describe('settings.language', () => {
  it('chooses the texts that are written, as default and by language; the file name is one for all', async () => {
    await describeInTwo();
    const { result, packet } = await exportImage({ embedMetadata: true, language: 'de' });
    expect(packet).toContain('<rdf:li xml:lang="x-default">Ein Rad</rdf:li><rdf:li xml:lang="de">Ein Rad</rdf:li>');
    expect(packet).toContain('<rdf:li xml:lang="x-default">Rad</rdf:li><rdf:li xml:lang="de">Rad</rdf:li>');
    expect(packet).not.toContain('bicycle');
    expect(readXmp(packet, 'de').tags).toEqual(['rad']);
    expect(result).toMatchObject({ filename: 'bicycle.jpg', metadata: { alt: 'Ein Rad' }, warnings: [] });
  });

  it('without it the texts of the metadata are written, as before', async () => {
    await describeInTwo();
    const { result, packet } = await exportImage({ embedMetadata: true });
    expect(packet).toContain('xml:lang="en">A bicycle<');
    expect(result.filename).toBe('bicycle.jpg');
  });

  it.each(['de-AT', 'DE'])('%s is served by German', async (language) => {
    await describeInTwo();
    expect((await exportImage({ embedMetadata: true, language })).packet).toContain('xml:lang="de">Ein Rad<');
  });

  it('that the image has no texts in gives those of the metadata, and says so', async () => {
    await describeInTwo();
    const { result, packet } = await exportImage({ embedMetadata: true, language: 'fr' });
    expect(packet).toContain('xml:lang="en">A bicycle<');
    expect(result.warnings.map(({ code }) => code)).toEqual(['other_language']);
  });

  it('is served by metadata in that language, or in none that is known', async () => {
    await edit({ metadata: { alt: 'Ein Rad' } });
    expect((await exportImage({ embedMetadata: true, language: 'de' })).result.warnings).toEqual([]);
    await edit({ metadata: { language: 'de' } });
    const { result, packet } = await exportImage({ embedMetadata: true, language: 'de' });
    expect(packet).toContain('xml:lang="de">Ein Rad<');
    expect(result.warnings).toEqual([]);
  });

  it('of two languages makes two files', async () => {
    await describeInTwo();
    await exportImage({ embedMetadata: true, language: 'de' });
    const { result, packet } = await exportImage({ embedMetadata: true, language: 'en' });
    expect(result.filename).toBe('bicycle.jpg');
    expect(packet).toContain('A bicycle');
  });

  it('is refused if it is no language', async () => {
    const json = test.api.exportBody(uploaded, { language: 'german' });
    const response = await test.api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json });
    expect(response.status).toBe(400);
    expect((await response.json()).error).toContain('settings.language: expected a BCP 47 language tag');
  });
});
