import { createHash } from 'node:crypto';
import { open, readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ImageResult, UploadResult } from '#contract';
import { storedFiles } from '../support/aftermath.ts';
import type { ApiClient } from '../support/api-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { noiseImage } from '../support/small-images.ts';

const SETTINGS = { format: 'webp' };

let test: TestService;
let api: ApiClient;
let uploaded: UploadResult;
let before: string[];
const log: string[] = [];
beforeAll(async () => {
  test = await startTestService({ LOG_LEVEL: 'error' }, { log: (line) => void log.push(line) });
});
afterAll(() => test?.close());
beforeEach(async () => {
  ({ api } = await test.createAccount({ credits: 10 }));
  before = await storedFiles(test);
  uploaded = await api.upload([await noiseImage('a.png', { width: 300, height: 200, seed: before.length + 1 })]);
});

/** Changes one bit in the middle of the files that were stored below a folder since, as a dying disk does: no time tells it. */
async function damage(folder: string): Promise<void> {
  const names = (await storedFiles(test)).filter((name) => name.startsWith(folder) && !before.includes(name));
  expect(names).toHaveLength(1);
  const path = join(test.dataDir, 'files', names[0] ?? '');
  const bytes = await readFile(path);
  const { atime, mtime } = await stat(path);
  const at = Math.floor(bytes.length / 2);
  const handle = await open(path, 'r+');
  await handle.write(Buffer.of((bytes[at] ?? 0) ^ 1), 0, 1, at);
  await handle.close();
  await utimes(path, atime, mtime);
}

async function exported(): Promise<ImageResult> {
  const { last } = await api.run('export', uploaded, SETTINGS);
  return last.data.results?.[0] as ImageResult;
}

/** Downloads the one file of a result. */
async function download(result: ImageResult, headers: Record<string, string> = {}) {
  const [{ url = '', sha256 = '' } = {}] = result.variants ?? [];
  const response = await api.request(url, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isTold = createHash('sha256').update(bytes).digest('hex') === sha256;
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
  const { code = null } = isJson ? JSON.parse(bytes.toString()) : {};
  return { status: response.status, etag: response.headers.get('ETag') !== null, code, isTold };
}

const REFUSED = { status: 500, etag: false, code: 'file_damaged', isTold: false };
const WHOLE = { status: 200, etag: true, code: null, isTold: true };

it('a damaged file is never sent, whole or in part; a sample of the same settings repairs it for nothing', async () => {
  const result = await exported();
  expect(await download(result)).toEqual(WHOLE);
  await damage('variants/');
  expect(await download(result)).toEqual(REFUSED);
  expect(await download(result, { Range: 'bytes=0-9' })).toEqual(REFUSED);
  const balance = await api.balance();
  const sample = await api.run('sample', uploaded, SETTINGS);
  expect(sample.last.data).toMatchObject({ status: 'completed' });
  expect(await api.balance()).toBe(balance);
  expect(await download(result)).toEqual(WHOLE);
  expect(log.filter((line) => line.includes('a stored file is damaged; it is made again'))).toHaveLength(1);
});

it('a damaged file of the cache is not sold: an export makes it again', async () => {
  await exported();
  await damage('variants/');
  const again = await exported();
  expect(await download(again)).toEqual(WHOLE);
});

it('of a damaged upload no file is made or charged', async () => {
  await damage('sessions/');
  const balance = await api.balance();
  expect(await exported()).toMatchObject({ status: 'failed', error: { code: 'file_damaged' } });
  expect(await api.balance()).toBe(balance);
});
