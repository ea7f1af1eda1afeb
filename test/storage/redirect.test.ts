import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DOWNLOAD_ADDRESS_TYPE, FILE_OR_ADDRESS, safeAddress } from '#contract/constants';
import { fetchFile } from '../../plugin-bridge/host/server/fetch-file.ts';
import { imagewright } from '../../plugin-bridge/host/server/imagewright.ts';
import { createClient } from '../../plugin-bridge/sdk/index.ts';
import { downloadAddressSchema } from '../../server/contract/exports.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { serveLocally } from '../support/serve-locally.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';
import { type S3Server, startS3Server } from './s3-server.ts';

const NAMES = ['été 2024 (1)', "it's 50% off!", 'plain'];

let s3: S3Server;
let store: FaultProxy;
let server: TestService;
let apiKey: string;
let sessionId: string;
let files: { filename: string; url: string; size: number; sha256: string }[];

beforeAll(async () => {
  s3 = await startS3Server();
  store = await startFaultProxy(s3.endpoint);
  server = await startTestService({ ...s3.env('redirect', store.url), DOWNLOADS: 'redirect' });
  const account = await server.createAccount({ credits: 20 });
  ({ apiKey } = account);
  const images = await plainImages(NAMES.length);
  const uploaded = await account.api.upload(images.map((image, n) => ({ ...image, name: `${NAMES[n]}.png` })));
  ({ sessionId } = uploaded);
  const edited = uploaded.images.map(({ id }, n) => ({ id, metadata: { filename: NAMES[n] } }));
  const json = { images: edited, settings: { format: 'webp', preset: 'high' } };
  const job = createClient({ endpoint: server.url, apiKey }).exportImages(sessionId, json as never);
  const { results } = await job.result();
  files = results.flatMap((result) => ('variants' in result ? result.variants : []));
  expect(files.length).toBe(NAMES.length);
});
afterAll(async () => {
  await server?.close();
  await store?.close();
  await s3?.close();
});

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const bytesOf = async (answer: Response | Blob) => new Uint8Array(await answer.arrayBuffer());
const keysSeen = () => store.seen.filter(({ headers }) => 'x-api-key' in headers).length;

it('any name is sent from the store, by a redirect or as an address that a client asks for', async () => {
  for (const { url, size, sha256, filename } of files) {
    const headers = { 'X-API-Key': apiKey };
    const redirect = await fetch(server.url + url, { headers, redirect: 'manual' });
    expect([redirect.status, redirect.headers.get('Vary')]).toEqual([302, expect.stringContaining('Accept')]);
    const direct = await fetch(redirect.headers.get('Location') ?? '');
    expect([filename, direct.status, hashOf(await bytesOf(direct))]).toEqual([filename, 200, sha256]);

    const told = await fetch(server.url + url, { headers: { ...headers, Accept: FILE_OR_ADDRESS } });
    expect(told.headers.get('Content-Type')).toMatch(DOWNLOAD_ADDRESS_TYPE);
    expect(told.headers.get('Cache-Control')).toBe('private, no-store');
    const address = downloadAddressSchema.parse(await told.json());
    expect(address).toMatchObject({ size, sha256, filename, mimeType: 'image/webp' });
    expect(Date.parse(address.expiresAt) - Date.now()).toBeGreaterThan(200_000);
    expect(hashOf(await bytesOf(await fetch(address.url)))).toBe(sha256);

    const head = await fetch(server.url + url, { method: 'HEAD', headers: { ...headers, Accept: FILE_OR_ADDRESS } });
    expect([head.status, head.headers.get('Content-Length')]).toEqual([200, String(size)]);
  }
});

it('the client, the package of hosts and its forwarder follow one step, without the key', async () => {
  store.reset();
  const client = createClient({ endpoint: server.url, apiKey });
  const host = createServer(imagewright({ service: server.url, apiKey, userOf: () => 1, owns: () => true }));
  const { url: page, close } = await serveLocally(host);
  for (const { filename, url, sha256, size } of files) {
    expect(hashOf(await bytesOf(await client.downloadFile(sessionId, filename)))).toBe(sha256);
    expect(hashOf(await bytesOf(await fetchFile(server.url, url, { 'X-API-Key': apiKey })))).toBe(sha256);
    const forwarded = await fetch(page + url);
    expect([forwarded.status, hashOf(await bytesOf(forwarded))]).toEqual([200, sha256]);
    expect(forwarded.headers.get('Content-Security-Policy')).toMatch('sandbox');
    const part = await fetch(page + url, { headers: { Range: 'bytes=2-5' } });
    expect([part.status, part.headers.get('Content-Range')]).toEqual([206, `bytes 2-5/${size}`]);
  }
  await close();
  expect(store.seen.filter(({ method }) => method === 'GET').length).toBeGreaterThan(0);
  expect(keysSeen()).toBe(0);
});

it('no client goes further, or to another address than a file of the store can have', async () => {
  const seen: (string | undefined)[] = [];
  const elsewhere = await serveLocally(
    createServer((req, res) => {
      seen.push(req.headers['x-api-key'] as string | undefined);
      res.end('secret');
    }),
  );
  const hostile = await serveLocally(
    createServer((req, res) => {
      if (req.url?.includes('redirect')) return void res.writeHead(302, { Location: elsewhere.url }).end();
      const url = req.url?.includes('ftp') ? 'ftp://host/a' : `${hostile.url}/redirect`;
      res.writeHead(200, { 'Content-Type': DOWNLOAD_ADDRESS_TYPE }).end(JSON.stringify({ url }));
    }),
  );
  const client = createClient({ endpoint: hostile.url, apiKey, retryDelayMs: 1 });
  for (const filename of ['redirect', 'ftp', 'address']) {
    await expect(client.downloadFile('sess_x', filename)).rejects.toThrow();
    await expect(fetchFile(hostile.url, `/${filename}`, {})).rejects.toThrow();
  }
  await hostile.close();
  await elsewhere.close();
  expect(seen).toEqual([]);
  expect(safeAddress({ url: 'http://store/a' }, 'https://service')).toBeNull();
  expect(safeAddress({ url: 'https://user:pass@store/a' }, 'https://service')).toBeNull();
});
