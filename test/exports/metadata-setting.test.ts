import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ImageResult, settingsSchema, type UploadResult } from '#contract';
import { ladenJpeg, ladenWith, METADATA_KINDS } from '../processing/laden-file.ts';
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
}, 60_000);

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
    expect(carries).toContainEqual({ kind: 'licence', keptBy: 'rights' });
    expect(carries).toContainEqual({ kind: 'camera', keptBy: 'all-but-private' });
    expect(carries).toContainEqual({ kind: 'place', keptBy: 'never' });
  });
});
