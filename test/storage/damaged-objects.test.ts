import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ImageResult, UploadResult } from '#contract';
import { storageConfig } from '../../server/storage/config.ts';
import { openFiles } from '../../server/storage/index.ts';
import type { ApiClient } from '../support/api-client.ts';
import { startTestService } from '../support/service.ts';
import { noiseImage } from '../support/small-images.ts';
import { type OwnS3Server, startOwnS3Server } from './s3-server.ts';

const SETTINGS = { format: 'webp', preset: 'maximum' };

let directory: string;
let s3: OwnS3Server;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-damaged-'));
  s3 = await startOwnS3Server();
});
afterAll(async () => {
  await s3?.close();
  await rm(directory, { recursive: true, force: true });
});

/** Changes one bit in the middle of the only file below a folder, by the store's own interface: the store believes it. */
async function damage(prefix: string, folder: string): Promise<void> {
  const { store } = await openFiles(storageConfig.parse({ DATA_DIR: directory, ...s3.env(prefix) }));
  const keys: string[] = [];
  for await (const { key } of store.list(folder)) keys.push(key);
  expect(keys).toHaveLength(1);
  const [key = ''] = keys;
  const opened = await store.open(key);
  if (!opened) throw new Error(`expected ${key}`);
  const bytes = await buffer(opened.stream);
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  const file = join(directory, 'damaged');
  await writeFile(file, bytes);
  await store.putFile(key, file, { size: bytes.length, contentType: 'image/webp' });
}

/** Starts a service with a session of one exported image, whose file is of many chunks. */
async function start(prefix: string, downloads: 'proxy' | 'redirect') {
  const log: string[] = [];
  const env = { ...s3.env(prefix), DOWNLOADS: downloads, LOG_LEVEL: 'error' };
  const service = await startTestService(env, { log: (line) => void log.push(line) });
  onTestFinished(() => service.close());
  const { api } = await service.createAccount({ credits: 10 });
  const uploaded = await api.upload([await noiseImage('a.png', { width: 900, height: 700 })]);
  return { api, uploaded, log };
}

async function exported(api: ApiClient, uploaded: UploadResult): Promise<ImageResult> {
  return (await api.run('export', uploaded, SETTINGS)).last.data.results?.[0] as ImageResult;
}

/** Downloads the file of a result: `told` if it has the hash, `other` if other bytes ended as if they were whole, else `broken`. */
async function download(api: ApiClient, { variants }: ImageResult, headers: Record<string, string> = {}) {
  const [{ url = '', sha256 = '' } = {}] = variants;
  try {
    const response = await api.request(url, { headers });
    expect(response.status).toBe(200);
    const bytes = Buffer.from(await response.arrayBuffer());
    return createHash('sha256').update(bytes).digest('hex') === sha256 ? 'told' : 'other';
  } catch {
    return 'broken';
  }
}

describe('a damaged object in the bucket', () => {
  it('never ends as if it were whole; the next export makes it again, which repairs all that hold it', async () => {
    const { api, uploaded, log } = await start('proxied', 'proxy');
    const first = await exported(api, uploaded);
    expect(first.variants[0]?.size).toBeGreaterThan(300_000);
    expect(await download(api, first)).toBe('told');
    await damage('proxied', 'variants');
    expect(await download(api, first)).toBe('broken');
    await expect.poll(() => log.join('\n')).toContain('damaged');
    const again = await exported(api, uploaded);
    expect(again.fromCache).toBe(false);
    expect([await download(api, again), await download(api, first)]).toEqual(['told', 'told']);
    expect((await exported(api, uploaded)).fromCache).toBe(true);
  });

  it('comes from the store itself with a redirection; a condition leads it through the service, which tells it', async () => {
    const { api, uploaded } = await start('redirected', 'redirect');
    const result = await exported(api, uploaded);
    expect(await download(api, result)).toBe('told');
    await damage('redirected', 'variants');
    // The store had no checksum of these bytes: whoever compares them with `sha256` sees it.
    expect(await download(api, result)).toBe('other');
    expect(await download(api, result, { 'If-Match': `"${result.variants[0]?.sha256}"` })).toBe('broken');
    const balance = await api.balance();
    await expect
      .poll(async () => {
        await api.run('sample', uploaded, SETTINGS);
        return download(api, result);
      })
      .toBe('told');
    expect(await api.balance()).toBe(balance);
  });
});
