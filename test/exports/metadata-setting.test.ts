import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ImageResult, settingsSchema, type UploadResult } from '#contract';
import { ladenJpeg, ladenWith, METADATA_KINDS } from '../processing/laden-file.ts';
import { makeUltraHdr, splitImages } from '../processing/ultra-hdr.ts';
import type { TestAccount } from '../support/service.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';

let test: SharedService;
let account: TestAccount;
let uploaded: UploadResult;
beforeAll(async () => {
  test = await sharedService();
  account = await test.createAccount({ credits: 50 });
  const plain = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#a63' } })
    .jpeg()
    .toBuffer();
  uploaded = await account.api.upload([{ name: 'laden.jpg', bytes: ladenJpeg(plain, ladenWith(METADATA_KINDS)) }]);
});

async function exported(settings: object): Promise<{ result: ImageResult; bytes: Buffer }> {
  const { last } = await account.api.run('export', uploaded, settings);
  const [result] = last.data.results as ImageResult[];
  const response = await account.api.request(result?.variants[0]?.url ?? '');
  const bytes = Buffer.from(await response.arrayBuffer());
  return { result: result as ImageResult, bytes };
}

describe('settings.metadata', () => {
  it('decides what an export keeps, and is not mixed up in the cache', async () => {
    for (const [settings, rights, camera] of [
      [{}, true, false],
      [{ metadata: 'all-but-private' }, true, true],
      [{ metadata: 'none' }, false, false],
      [{ metadata: 'rights' }, true, false],
      [{ keepCopyright: false }, false, false],
      [{ metadata: 'none', keepCopyright: false }, false, false],
    ] as const) {
      const { bytes } = await exported({ format: 'webp', ...settings });
      expect(bytes.includes('X-licence-xmpRightsWebStatement'), JSON.stringify(settings)).toBe(rights);
      expect(bytes.includes('E-camera-110'), JSON.stringify(settings)).toBe(camera);
      expect(bytes.includes('-place-')).toBe(false);
    }
  });

  it.each([
    [{ metadata: 'none', keepCopyright: true }, 'expected rights'],
    [{ metadata: 'all-but-private', keepCopyright: true }, 'expected rights'],
    [{ metadata: 'rights', keepCopyright: false }, 'expected none'],
  ])('is refused if its older form says otherwise: %j', async (settings, message) => {
    const json = account.api.exportBody(uploaded, settings);
    const response = await account.api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(message);
  });

  it('is absent from settings without it, so that jobs keep their identity', () => {
    const before = { format: 'webp', preset: 'high', responsive: false, embedMetadata: false, keepCopyright: true };
    expect(JSON.stringify(settingsSchema.parse({}))).toBe(JSON.stringify(before));
    const selective = { ...before, onlySmaller: true };
    expect(JSON.stringify(settingsSchema.parse({ onlySmaller: true }))).toBe(JSON.stringify(selective));
    const echoed = settingsSchema.parse({ metadata: 'all-but-private' });
    expect(settingsSchema.parse(echoed)).toEqual(echoed);
  });
});

describe('the answer of an upload', () => {
  it('names what the file carries, and which level keeps it', () => {
    const carries = uploaded.images[0]?.carries ?? [];
    const kinds = METADATA_KINDS.filter((kind) => !['orientation', 'resolution', 'thumbnail'].includes(kind));
    expect(carries.map(({ kind }) => kind)).toEqual(expect.arrayContaining(kinds));
    expect(carries).toContainEqual({ kind: 'licence', keptBy: 'rights', droppedIn: ['gif'] });
    expect(carries).toContainEqual({ kind: 'camera', keptBy: 'all-but-private', droppedIn: ['gif', 'tiff'] });
    expect(carries).toContainEqual({ kind: 'place', keptBy: 'never', droppedIn: [] });
  });
});

describe('settings.hdr', () => {
  it('keeps an HDR photograph in its format, other images in the one that was asked for', async () => {
    const hdr = await makeUltraHdr({ width: 120, height: 80 }, (x) => 0.2 + x / 200);
    const flat = await sharp({ create: { width: 32, height: 32, channels: 3, background: '#36a' } })
      .jpeg()
      .toBuffer();
    const both = await account.api.upload([
      { name: 'hdr.jpg', bytes: hdr },
      { name: 'flat.jpg', bytes: flat },
    ]);
    expect(both.images[0]?.carries).toContainEqual({
      kind: 'gain_map',
      keptBy: 'always',
      droppedIn: ['png', 'webp', 'avif', 'tiff', 'gif'],
    });
    const { last } = await account.api.run('export', both, {
      format: 'webp',
      hdr: 'keep',
      responsive: true,
      responsiveSizes: [60],
    });
    const results = last.data.results as ImageResult[];
    expect(results.map(({ format, filename }) => [format, filename])).toEqual([
      ['jpeg', 'hdr.jpg'],
      ['webp', 'flat.webp'],
    ]);
    for (const { url } of results[0]?.variants ?? []) {
      const response = await account.api.request(url);
      splitImages(Buffer.from(await response.arrayBuffer()));
    }
    const flattened = (await account.api.run('export', both, { format: 'webp' })).last.data.results as ImageResult[];
    expect(flattened[0]?.warnings.map(({ code }) => code)).toContain('hdr_dropped');
    expect(flattened[1]?.warnings).toEqual([]);
  });
});
