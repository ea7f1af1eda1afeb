import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRawClient, type RawAnswer } from '../support/raw-request.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { plainImages } from '../support/small-images.ts';

let test: SharedService;
let ask: (path: string, encoding?: string, extra?: Record<string, string>) => Promise<RawAnswer>;
beforeAll(async () => {
  test = await sharedService();
  const client = createRawClient(test.url);
  ask = (path, encoding = 'gzip, deflate, br', extra = {}) =>
    client.send(path, { headers: { 'Accept-Encoding': encoding, ...extra } });
});

describe.each(['/v1/openapi.json', '/docs', '/docs/docs.css', '/docs/try', '/demo', '/dashboard'])('%s', (path) => {
  it('is compressed as the client wants it, and is the same document', async () => {
    const plain = await ask(path, 'identity');
    expect([plain.status, plain.headers['content-encoding']]).toEqual([200, undefined]);
    const brotli = await ask(path);
    const gzip = await ask(path, 'gzip');
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(brotli.body.length).toBeLessThan(plain.body.length / 1.5);
    for (const { headers } of [plain, brotli, gzip]) expect(headers.vary).toMatch(/\bAccept-Encoding\b/i);
    expect(new Set([plain, brotli, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
  });

  it('is not sent again to a client that has it', async () => {
    const { headers } = await ask(path);
    const again = await ask(path, 'br', { 'If-None-Match': `${headers.etag}` });
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, headers.etag]);
    expect((await ask(path, 'br', { 'If-None-Match': '"another"' })).status).toBe(200);
    expect((await ask(path, 'br', { 'If-Match': '"another"' })).status).toBe(412);
  });
});

it('the OpenAPI document takes less than 30 kB', async () => {
  expect((await ask('/v1/openapi.json')).body.length).toBeLessThan(30_000);
});

it('streams and files are never compressed', async () => {
  const headers = { 'X-API-Key': test.api.apiKey ?? '', 'Accept-Encoding': 'br, gzip' };
  const uploaded = await test.api.upload(await plainImages(1, { width: 64, height: 48 }));
  const json = test.api.exportBody(uploaded, {});
  const stream = await test.api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json, headers });
  expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(stream.headers.get('content-encoding')).toBeNull();
  const [, url] = /"url":"([^"]+)"/.exec(await stream.text()) ?? [];
  const file = await ask(`${url}`, 'br, gzip', headers);
  expect([file.status, file.headers['content-encoding']]).toEqual([200, undefined]);
});
