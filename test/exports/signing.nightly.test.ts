import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageResult, UploadResult } from '#contract';
import { expectCleanBooks } from '../support/aftermath.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { makeCertificate } from '../support/make-certificate.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { readReport, signAsCamera } from '../support/signed-files.ts';
import { noiseImage } from '../support/small-images.ts';

let dataDir: string;
let signing: Record<string, string>;
let test: TestService;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'imagewright-signing-'));
  const { chain, key } = makeCertificate();
  signing = {
    CONTENT_CREDENTIALS: 'sign',
    CONTENT_CREDENTIALS_CERTIFICATE: join(dataDir, 'chain.pem'),
    CONTENT_CREDENTIALS_KEY: join(dataDir, 'key.pem'),
  };
  await writeFile(signing.CONTENT_CREDENTIALS_CERTIFICATE ?? '', chain);
  await writeFile(signing.CONTENT_CREDENTIALS_KEY ?? '', key);
  test = await start(signing);
});
afterAll(async () => {
  await test.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts the service with the embedded database, which stays with the directory. */
function start(env: Record<string, string>): Promise<TestService> {
  return startTestService({ DATA_DIR: dataDir, MONGODB_URI: '', WORKERS: '1', ...env });
}

async function photographs(...seeds: number[]) {
  const jpegs = seeds.map(async (seed) => {
    const { bytes } = await noiseImage('noise.png', { seed, width: 200, height: 120 });
    const jpeg = await sharp(bytes).blur(2).jpeg({ quality: 95 }).toBuffer();
    return { name: `photograph-${seed}.jpg`, bytes: await signAsCamera(jpeg, 'image/jpeg') };
  });
  return Promise.all(jpegs);
}

async function resultOf(api: ApiClient, kind: 'export' | 'sample', uploaded: UploadResult, settings: object) {
  const { last } = await api.run(kind, uploaded, settings);
  if (last.event !== 'complete') throw new Error(`expected completion but received ${JSON.stringify(last.data)}`);
  return last.data.results[0] as ImageResult;
}

/** Downloads each file and validates it. @returns the states by format; null: without content credentials */
async function statesOf(api: ApiClient, { variants }: ImageResult): Promise<Record<string, string | null>> {
  const states: [string, string | null][] = [];
  for (const { url, format = '', size } of variants) {
    const bytes = Buffer.from(await (await api.request(url)).arrayBuffer());
    expect(bytes.length).toBe(size);
    const report = await readReport(bytes, `image/${format}`).catch(() => null);
    states.push([format, report?.validation_state ?? null]);
  }
  return Object.fromEntries(states);
}

describe('an export with CONTENT_CREDENTIALS=sign', () => {
  it('signs every format and width, samples too, and downloads are the files of the cache', async () => {
    const { api } = await test.createAccount({ credits: 10 });
    const uploaded = await api.upload(await photographs(1));
    const settings = { formats: ['avif', 'webp', 'jpeg'], responsive: true, responsiveSizes: [100] };
    const sample = await resultOf(api, 'sample', uploaded, settings);
    expect(await statesOf(api, sample)).toEqual({ avif: 'Valid', webp: 'Valid', jpeg: 'Valid' });
    const exported = await resultOf(api, 'export', uploaded, settings);
    expect(exported.fromCache).toBe(true);
    expect(exported.variants.map(({ sha256 }) => sha256)).toEqual(sample.variants.map(({ sha256 }) => sha256));
    expect(await statesOf(api, exported)).toEqual({ avif: 'Valid', webp: 'Valid', jpeg: 'Valid' });
    expect(exported.warnings.map(({ code }) => code)).not.toContain('content_credentials_dropped');
    await expectCleanBooks(test);
  });

  it('names broken credentials in the answer of the upload', async () => {
    const [photograph] = await photographs(2);
    if (!photograph) throw new Error('expected a file');
    const bytes = Buffer.from(photograph.bytes);
    bytes[bytes.length - 8] = (bytes[bytes.length - 8] ?? 0) ^ 1;
    const { api } = await test.createAccount({ credits: 10 });
    const uploaded = await api.upload([{ ...photograph, bytes }]);
    expect(uploaded.images[0]?.warnings).toMatchObject([{ code: 'content_credentials_invalid' }]);
    const exported = await resultOf(api, 'export', uploaded, { format: 'webp' });
    expect(exported.warnings.map(({ code }) => code).sort()).toEqual([
      'content_credentials_dropped',
      'content_credentials_invalid',
    ]);
    expect(await statesOf(api, exported)).toEqual({ webp: null });
  });

  it('charges nothing if the signature eats the gain, and delivers nothing', async () => {
    const { api } = await test.createAccount({ credits: 10 });
    const uploaded = await api.upload(await photographs(3));
    const { size = 0 } = (await resultOf(api, 'sample', uploaded, { format: 'webp' })).variants[0] ?? {};
    const run = async (bytes: number) => {
      const images = uploaded.images.map(({ id }) => ({ id, replaces: [{ name: 'full', bytes }] }));
      const json = { images, settings: { format: 'webp', onlySmaller: true } };
      const response = await api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json });
      return JSON.parse(/event: complete\ndata: (.*)/.exec(await response.text())?.[1] ?? '');
    };
    // Without its signature it would be smaller.
    expect(await run(size - 100)).toMatchObject({ credits: { refunded: 1 }, results: [{ variants: [] }] });
    expect(await run(size + 1)).toMatchObject({ credits: { refunded: 0 }, results: [{ variants: [{ size }] }] });
    await expectCleanBooks(test);
  });

  it('and one without it never share a file, whichever came first', async () => {
    const { apiKey, api: first } = await test.createAccount({ credits: 20 });
    const uploaded = await first.upload(await photographs(4, 5));
    const settings = { format: 'webp' };
    const states: (string | null | undefined)[] = [];
    for (const env of [signing, {}, signing, {}]) {
      await test.close();
      test = await start(env);
      const api = createApiClient({ url: test.url, apiKey });
      const result = await resultOf(api, 'export', uploaded, settings);
      states.push((await statesOf(api, result)).webp);
      expect(result.fromCache).toBe(states.length > 2);
      expect(result.warnings.map(({ code }) => code).includes('content_credentials_dropped')).toBe(
        states.at(-1) === null,
      );
    }
    expect(states).toEqual(['Valid', null, 'Valid', null]);
    await expectCleanBooks(test);
    await test.close();
    test = await start(signing);
  });
});
