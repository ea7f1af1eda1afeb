import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../../plugin-bridge/sdk/index.ts';
import type { Fault } from '../../support/fault-proxy.ts';
import { noiseImage } from '../../support/small-images.ts';
import { type SdkHarness, startSdkHarness, uploadPictures } from './sdk-harness.ts';

let harness: SdkHarness;
beforeAll(async () => {
  harness = await startSdkHarness();
});
afterAll(() => harness.close());
afterEach(() => harness.proxy.reset());

async function noiseFile(name: string, seed: number) {
  const { bytes } = await noiseImage(name, { width: 300, height: 300, seed });
  return { name, file: new Blob([bytes as Uint8Array<ArrayBuffer>]) };
}

describe('an upload', () => {
  it('carries names and metadata, in the order of the files', async () => {
    const client = await harness.createClient();
    const metadata = { clientRef: '42', title: 'A title', alt: 'An alt', filename: 'renamed' };
    const { sessionId, images } = await client.createSession({
      files: [{ ...(await noiseFile('Zürich & more.png', 1)), metadata }, await noiseFile('b.png', 2)],
    });
    expect(images.map(({ originalFilename, clientRef }) => [originalFilename, clientRef])).toEqual([
      ['Zürich & more.png', '42'],
      ['b.png', null],
    ]);
    expect(images[0]?.metadata).toMatchObject({ title: 'A title', alt: 'An alt', filename: 'renamed' });
    const added = await client.addImages(sessionId, { files: [await noiseFile('c.png', 3)] });
    expect(added.sessionId).toBe(sessionId);
    expect((await client.getSession(sessionId)).images).toHaveLength(3);
  });

  it.each<[string, Fault]>([
    ['is lost on its way', { kind: 'lose-request' }],
    ['breaks off in the middle', { kind: 'lose-request', afterBytes: 100_000 }],
    ['is done, but its answer is lost', { kind: 'lose-answer' }],
    ['is done, but its answer is cut', { kind: 'cut', afterBytes: 50 }],
  ])('that %s is repeated under its key and makes each image once', async (_, fault) => {
    const client = await harness.createClient();
    const { sessionId } = await client.createSession({ files: [await noiseFile('a.png', 4)] });
    harness.proxy.reset();
    harness.proxy.inject(fault);
    const added = await client.addImages(sessionId, { files: [await noiseFile('b.png', 5)] });
    expect(added.images).toHaveLength(1);
    expect((await client.getSession(sessionId)).images).toHaveLength(2);
    const keys = harness.proxy.seen.slice(0, 2).map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toBeTruthy();
    expect(keys[1]).toBe(keys[0]);
  });

  it('of a file that was changed after it was opened says so and is not repeated', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'changed-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'a.png');
    await writeFile(path, (await noiseImage('a.png', { width: 300, height: 300, seed: 7 })).bytes);
    const file = await openAsBlob(path);
    await writeFile(path, 'another file');
    const client = await harness.createClient();
    harness.proxy.reset();
    const refused = client.createSession({ files: [{ name: 'a.png', file }] });
    await expect(refused).rejects.toMatchObject({ code: 'file_changed', retryable: false });
    expect(harness.proxy.seen.length).toBeLessThanOrEqual(1);
  });

  it('with the option `once` is not repeated', async () => {
    const client = await harness.createClient();
    const { sessionId } = await client.createSession({ files: [await noiseFile('a.png', 4)] });
    harness.proxy.reset();
    harness.proxy.inject({ kind: 'lose-request', afterBytes: 100 });
    const added = client.addImages(sessionId, { files: [await noiseFile('b.png', 6)] }, { once: true });
    await expect(added).rejects.toMatchObject({ name: 'ConnectionError', code: 'network' });
    expect(harness.proxy.seen).toHaveLength(1);
  });

  it('reports its bytes at its end if there is no other progress', async () => {
    const client = await harness.createClient();
    const file = await noiseFile('a.png', 6);
    const reported: number[][] = [];
    await client.createSession({ files: [file] }, { onProgress: (...numbers) => reported.push(numbers) });
    expect(reported).toEqual([[file.file.size, file.file.size]]);
  });
});

describe('the methods', () => {
  it('do the whole workflow', async () => {
    const client = await harness.createClient({ credits: 10 });
    const { sessionId, images } = await uploadPictures(client, 2);
    const [{ id = '' } = {}] = images;
    const patched = await client.updateImage(sessionId, id, { alt: 'Blue', filename: 'blue-hill' });
    expect(patched.metadata).toMatchObject({ alt: 'Blue', source: { alt: 'user' } });
    const translated = await client.updateImage(sessionId, id, { language: 'en' }, { texts: { de: { alt: 'Blau' } } });
    expect(translated.texts).toMatchObject({ en: { alt: 'Blue' }, de: { alt: 'Blau' } });
    const preview = await client.previewImage(sessionId, id, { width: 32 });
    expect(preview.type).toBe('image/webp');
    expect((await client.checkCredits({ images, operation: 'export' })).cost).toBe(2);

    const sampled = await client.sampleImages(sessionId, { images, settings: { format: 'png' } }).result();
    const [sample] = sampled.results;
    const file = await client.downloadFile(`${sessionId}-sample`, sample?.filename ?? '');
    expect(file.type).toBe('image/png');
    expect((await sharp(await file.arrayBuffer()).metadata()).format).toBe('png');

    const stream = client.exportImages(sessionId, { images, settings: { format: 'avif' } });
    const { jobId, results } = await stream.result();
    expect(results[0]?.filename).toBe('blue-hill.avif');
    expect((await client.getJob(jobId)).status).toBe('completed');
    expect(await client.getBalance()).toMatchObject({ balance: 8 });
    expect((await client.listTransactions({ limit: 1 })).nextCursor).toEqual(expect.any(String));
    expect((await client.getOpenApi()).openapi).toMatch(/^3\.1/);
    await client.deleteSession(sessionId);
    await expect(client.getSession(sessionId)).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it('get the headers for each request, and send a key only if there is one', async () => {
    const { apiKey } = await harness.test.createAccount();
    let nonce = 0;
    const headers = async () => ({ 'X-API-Key': apiKey, 'X-WP-Nonce': `n${++nonce}` });
    const client = createClient({ endpoint: `${harness.proxy.url}/`, headers });
    await client.getBalance();
    await client.getBalance();
    expect(harness.proxy.seen.map((seen) => seen.headers['x-wp-nonce'])).toEqual(['n1', 'n2']);
    const keyless = createClient({ endpoint: harness.proxy.url });
    await expect(keyless.getBalance()).rejects.toMatchObject({ status: 401 });
    expect(harness.proxy.seen.at(-1)?.headers['x-api-key']).toBeUndefined();
  });

  it('use any address before /v1, including a query', async () => {
    const requests: string[] = [];
    const record: typeof fetch = async (input) => {
      requests.push(`${input}`);
      return Response.json({});
    };
    for (const endpoint of ['', '/wp-json/imagewright/v1', 'https://x.example/sub/', '/?rest_route=/imagewright']) {
      await createClient({ endpoint, fetch: record }).listTransactions({ limit: 5, cursor: undefined });
    }
    expect(requests).toEqual([
      '/v1/credits/transactions?limit=5',
      '/wp-json/imagewright/v1/v1/credits/transactions?limit=5',
      'https://x.example/sub/v1/credits/transactions?limit=5',
      '/?rest_route=/imagewright/v1/credits/transactions&limit=5',
    ]);
  });
});
