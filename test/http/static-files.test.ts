import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPages } from '../../server/http/downloads/pages.ts';
import { createRawClient } from '../support/raw-request.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startStaticServer } from './static-server.ts';

const built = mkdtempSync(join(tmpdir(), 'imagewright-pages-'));
const SCRIPT = `export const words = ${JSON.stringify('many words '.repeat(200))};\n`;

function write(path: string, text: string): void {
  mkdirSync(join(built, path, '..'), { recursive: true });
  writeFileSync(join(built, path), text);
}

describe('built pages', () => {
  let server: Awaited<ReturnType<typeof startStaticServer>>;
  let client: ReturnType<typeof createRawClient>;

  beforeAll(async () => {
    write('demo/index.html', '<!doctype html><title>Demo</title>');
    write('demo/assets/demo-AbC_d-12.js', SCRIPT);
    write('demo/assets/demo-settings.js', SCRIPT);
    write('demo/icon.png', 'PNG');
    write('demo/.fingerprint', 'secret');
    write('demo/notes.exe', 'MZ');
    write('widget/define.js', SCRIPT);
    write('widget/custom-elements.json', '{}');
    write('server/main.js', 'secret');
    server = await startStaticServer(createPages(built));
    client = createRawClient(server.url);
  });
  afterAll(async () => {
    client.close();
    await server.close();
    rmSync(built, { recursive: true, force: true });
  });

  it('are served with their type, and the page itself under its folder’s path with and without a slash', async () => {
    for (const path of ['/demo', '/demo/']) {
      const page = await client.send(path);
      expect(page).toMatchObject({ status: 200, text: '<!doctype html><title>Demo</title>' });
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    }
    const type = async (path: string) => (await client.send(path)).headers['content-type'];
    expect(await type('/widget/define.js')).toBe('text/javascript; charset=utf-8');
    expect(await type('/widget/custom-elements.json')).toBe('application/json; charset=utf-8');
    expect(await type('/demo/icon.png')).toBe('image/png');
  });

  it('forbid inline and foreign content, framing and sniffing', async () => {
    const { headers } = await client.send('/demo');
    const policy = String(headers['content-security-policy']);
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'"]) {
      expect(policy.split('; ')).toContain(rule);
    }
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|data:|blob:|\*/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('allow pages of other sites to load the widget’s files', async () => {
    const { headers } = await client.send('/widget/define.js');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
  });

  it('are revalidated by a strong tag, or immutable if their name has a hash', async () => {
    const first = await client.send('/widget/define.js');
    expect(first.headers['cache-control']).toBe('public, no-cache');
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    const again = await client.send('/widget/define.js', { headers: { 'If-None-Match': etag } });
    expect(again).toMatchObject({ status: 304, text: '' });
    expect(again.headers.etag).toBe(etag);
    expect((await client.send('/widget/define.js', { headers: { 'If-Match': etag } })).status).toBe(200);
    const rangeHeaders = { Range: 'bytes=0-1', 'If-Range': etag };
    expect(await client.send('/widget/define.js', { headers: rangeHeaders })).toMatchObject({
      status: 200,
      text: SCRIPT,
    });
    const cacheOf = async (path: string) => (await client.send(path)).headers['cache-control'];
    expect(await cacheOf('/demo/assets/demo-AbC_d-12.js')).toBe('public, max-age=31536000, immutable');
    expect(await cacheOf('/demo/icon.png')).toBe('public, no-cache');
  });

  it('are compressed as the client accepts, each encoding with its own tag', async () => {
    const get = (accept: string) => client.send('/widget/define.js', { headers: { 'Accept-Encoding': accept } });
    const answers = { br: await get('gzip, deflate, br'), gzip: await get('gzip'), identity: await get('identity') };
    expect(answers.br.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(answers.br.body).toString()).toBe(SCRIPT);
    expect(answers.gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(answers.gzip.body).toString()).toBe(SCRIPT);
    expect(answers.identity.headers['content-encoding']).toBeUndefined();
    expect(answers.identity.text).toBe(SCRIPT);
    expect(new Set(Object.values(answers).map(({ headers }) => headers.etag)).size).toBe(3);
    for (const { headers } of Object.values(answers)) expect(headers.vary).toBe('Accept-Encoding');
    const image = await client.send('/demo/icon.png', { headers: { 'Accept-Encoding': 'br' } });
    expect(image.headers['content-encoding']).toBeUndefined();
  });

  it('stay as they were at the start; no other file is served', async () => {
    write('widget/define.js', 'changed');
    expect((await client.send('/widget/define.js')).text).toBe(SCRIPT);
    for (const path of [
      '/demo/.fingerprint',
      '/demo/notes.exe',
      '/demo/index.html',
      '/demo/../server/main.js',
      '/demo/%2e%2e/server/main.js',
      '/widget/..%2fserver%2fmain.js',
      '/widget/',
      '/server/main.js',
    ]) {
      expect((await client.send(path)).status, path).toBe(404);
    }
  });

  it('answer HEAD with the same headers and no body', async () => {
    const [get, head] = [await client.send('/demo'), await client.send('/demo', { method: 'HEAD' })];
    expect(head.text).toBe('');
    for (const name of ['content-length', 'content-type', 'etag', 'content-security-policy']) {
      expect(head.headers[name], name).toBe(get.headers[name]);
    }
  });
});

describe('the service', () => {
  let test: TestService;

  beforeAll(async () => {
    test = await startTestService();
  });
  afterAll(() => test.close());

  it('responds 412 if If-Match names another file', async () => {
    const refused = await fetch(`${test.url}/widget/define.js`, { headers: { 'If-Match': '"other"' } });
    expect([refused.status, await refused.json()]).toMatchObject([412, { code: 'precondition_failed' }]);
    expect(refused.headers.get('ETag')).toMatch(/^"[\w-]+"$/);
  });

  it('responds 404 to an unknown page, and 405 with the allowed methods to others', async () => {
    const missing = await fetch(`${test.url}/demo/nothing.js`);
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ code: 'not_found' });
    const posted = await fetch(`${test.url}/docs`, { method: 'POST' });
    expect(posted.status).toBe(405);
  });
});
