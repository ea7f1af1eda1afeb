import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { storageConfig } from '../../server/storage/config.ts';
import { openFiles } from '../../server/storage/index.ts';
import { type S3Server, startS3Server } from '../storage/s3-server.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { sharedStore } from '../support/database.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { createRawClient } from '../support/raw-request.ts';
import { startTestService } from '../support/service.ts';
import { noiseImage, plainImages } from '../support/small-images.ts';

const PEPPER = 'one secret of all servers of this test';

let directory: string;
let embedded: Awaited<ReturnType<typeof sharedStore>>;
let s3: S3Server;
let proxy: FaultProxy;
let started = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-s3-nodes-'));
  embedded = await sharedStore(join(directory, 'shared-db'));
  s3 = await startS3Server();
  proxy = await startFaultProxy(s3.endpoint);
});
afterAll(async () => {
  await proxy?.close();
  await s3?.close();
  await embedded?.close();
  await rm(directory, { recursive: true, force: true });
});

/** Starts a server of the shared database with a directory of its own. */
async function startServer(env: Record<string, string> = s3.env('nodes', proxy.url)) {
  started += 1;
  const own = { DATA_DIR: join(directory, `node-${started}`), MONGODB_URI: embedded.uri, API_KEY_PEPPER: PEPPER };
  const server = await startTestService({ ...own, WORKERS: '1', ...env });
  onTestFinished(() => server.close());
  return server;
}

async function keysIn(prefix = 'nodes'): Promise<string[]> {
  const { store } = await openFiles(storageConfig.parse({ DATA_DIR: directory, ...s3.env(prefix) }));
  const keys: string[] = [];
  for (const folder of ['sessions', 'variants']) for await (const { key } of store.list(folder)) keys.push(key);
  return keys;
}

async function download(api: ApiClient, url: string, headers: Record<string, string> = {}) {
  const response = await api.request(url, { headers, redirect: 'manual' } as never);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { response, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

it('servers without a shared folder upload, describe, export and send the same files', async () => {
  const a = await startServer();
  const b = await startServer();
  const { api, apiKey } = await a.createAccount({ credits: 20 });
  const other = createApiClient({ url: b.url, apiKey });
  const uploaded = await api.upload([
    ...(await plainImages(3)),
    await noiseImage('n.png', { width: 400, height: 300 }),
  ]);

  const sampled = await other.run('sample', uploaded, { format: 'webp' });
  const exported = await api.run('export', uploaded, { format: 'webp' });
  expect(exported.last).toMatchObject({ event: 'complete', data: { summary: { completed: 4 } } });
  const results = exported.last.data.results ?? [];
  expect(results.map((result) => 'fromCache' in result && result.fromCache)).toEqual([true, true, true, true]);
  expect(sampled.last.data.results?.length).toBe(4);
  for (const result of results) {
    const { url = '', sha256, size = 0 } = 'variants' in result ? (result.variants[0] ?? {}) : {};
    expect((await download(other, url)).sha256).toBe(sha256);
    const part = await download(other, url, { Range: 'bytes=2-5' });
    expect([part.response.status, part.response.headers.get('Content-Range')]).toEqual([206, `bytes 2-5/${size}`]);
  }
  // Addresses stay those of their bytes on all servers, also of a file name that got other bytes.
  const later = await other.run('export', uploaded, { format: 'webp', preset: 'low' });
  const told = [...results, ...(later.last.data.results ?? [])].flatMap((result) =>
    'variants' in result ? result.variants : [],
  );
  expect(new Set(told.map(({ filename }) => filename)).size).toBe(4);
  for (const { url, sha256 } of told)
    for (const client of [api, other]) expect([url, (await download(client, url)).sha256]).toEqual([url, sha256]);
  const changed = new Set(told.map(({ sha256 }) => sha256)).size - 4;
  expect(changed).toBeGreaterThan(0);
  const preview = `/v1/sessions/${uploaded.sessionId}/images/${uploaded.images[3]?.id}/preview?width=128`;
  const [one, two] = [await download(api, preview), await download(other, preview)];
  expect([one.response.status, two.sha256]).toEqual([200, one.sha256]);
  expect((await keysIn()).length).toBeGreaterThanOrEqual(4 + 4 + changed + 1);
  await other.request(`/v1/sessions/${uploaded.sessionId}`, { method: 'DELETE' });
  expect(await keysIn()).toEqual([]);
  expect((await a.service.accounts.audit()).broken).toEqual([]);
});

it('an export outlasts a store that is away; uploads and downloads get 503 with Retry-After meanwhile', async () => {
  const server = await startServer();
  const { api } = await server.createAccount({ credits: 10 });
  const uploaded = await api.upload(await plainImages(2));
  const first = await api.run('export', uploaded, { format: 'webp' });
  const [result] = first.last.data.results ?? [];
  const { url = '' } = result && 'variants' in result ? (result.variants[0] ?? {}) : {};

  proxy.inject({ kind: 'answer', status: 503 }, { times: 1000 });
  const refused = await Promise.all([
    download(api, url),
    api.request('/v1/sessions', { method: 'POST', body: await form() }),
  ]);
  const answers = [refused[0].response, refused[1]];
  expect(answers.map((answer) => [answer.status, answer.headers.get('Retry-After')])).toEqual([
    [503, '5'],
    [503, '5'],
  ]);
  expect(JSON.parse(refused[0].bytes.toString())).toMatchObject({ code: 'storage_unavailable' });
  const running = api.run('export', uploaded, { format: 'jpeg' });
  await expect.poll(() => proxy.seen.filter(({ method }) => method === 'PUT').length).toBeGreaterThan(4);
  proxy.reset();
  const { last } = await running;
  expect(last).toMatchObject({
    event: 'complete',
    data: { summary: { completed: 2, failed: 0 }, credits: { charged: 2 } },
  });
});

async function form(): Promise<FormData> {
  const body = new FormData();
  const [{ bytes, name } = { bytes: new Uint8Array(), name: '' }] = await plainImages(1);
  body.append('images', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  return body;
}

it('a server with another store does not start', async () => {
  await startServer();
  await expect(startServer({})).rejects.toThrow('expected the files of this database');
});

it('a download is answered with a URL of the store where that is set', async () => {
  const server = await startServer({ ...s3.env('nodes'), DOWNLOADS: 'redirect' });
  const { api } = await server.createAccount({ credits: 10 });
  const { last } = await api.run('export', await api.upload(await plainImages(1)), { format: 'webp' });
  const [result] = last.data.results ?? [];
  const { url = '', sha256 } = result && 'variants' in result ? (result.variants[0] ?? {}) : {};
  const { response } = await download(api, url);
  expect([response.status, response.headers.get('Cache-Control')]).toEqual([302, 'private, no-store']);
  const location = response.headers.get('Location') ?? '';
  expect(new URL(location).searchParams.get('X-Amz-Expires')).toBe('300');
  const direct = await fetch(location);
  const bytes = Buffer.from(await direct.arrayBuffer());
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  expect(direct.headers.get('Content-Disposition')).toMatch(/^attachment; filename=/);
  // Whoever knows the hash asks the service, and the signature is that of a GET.
  const head = await fetch(server.url + url, { method: 'HEAD', headers: { 'X-API-Key': api.apiKey ?? '' } });
  expect([head.status, head.headers.get('ETag')]).toEqual([200, `"${sha256}"`]);
  expect(head.headers.get('Cache-Control')).toMatch(/^private, max-age=\d+, immutable$/);
  const raw = createRawClient(server.url);
  const known = { 'X-API-Key': api.apiKey ?? '', 'If-None-Match': `"${sha256}"` };
  expect((await raw.send(url, { headers: known })).status).toBe(304);
  raw.close();
});
