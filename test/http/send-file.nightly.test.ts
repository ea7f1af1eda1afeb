import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Koa from 'koa';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toWireError } from '../../server/errors.ts';
import { type FileToSend, parseByteRange, sendFile } from '../../server/http/downloads/send-file.ts';
import { createFolderStore } from '../../server/storage/index.ts';
import { until } from './upload-server.ts';

const CONTENT = randomBytes(200_000);
const ETAG = createHash('sha256').update(CONTENT).digest('hex');

let directory: string;
let server: Server;
let port: number;
let offered: FileToSend;
/** Path of the file. */
let stored: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-send-'));
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx) => {
    try {
      await sendFile(ctx, offered, createFolderStore({ directory }));
    } catch (error) {
      const wire = toWireError(error, 'req_1');
      ctx.status = wire.status;
      ctx.set(wire.headers);
      ctx.body = wire.body;
    }
  });
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
beforeEach(async () => {
  const key = 'stored.bin';
  stored = join(directory, key);
  await writeFile(stored, CONTENT);
  offered = { key, size: CONTENT.length, filename: 'photo.webp', mimeType: 'image/webp', etag: ETAG };
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true });
});

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

function get(headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = request({ port, method, headers, agent: false }, async (res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of res) chunks.push(chunk);
      resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks) });
    });
    req.on('error', reject).end();
  });
}
const openFiles = async () => (await readdir('/proc/self/fd')).length;

describe('a whole file', () => {
  it('is sent unchanged with all headers', async () => {
    const { status, headers, body } = await get();
    expect(status).toBe(200);
    expect(body.equals(CONTENT)).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'image/webp',
      'content-length': '200000',
      'content-disposition': 'attachment; filename="photo.webp"',
      etag: `"${ETAG}"`,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-cache',
    });
  });

  it('responds to HEAD with the same headers and no body', async () => {
    const { date: _, ...whole } = (await get()).headers;
    const { status, headers, body } = await get({ range: 'bytes=0-1' }, 'HEAD');
    expect([status, body.length]).toEqual([200, 0]);
    expect(headers).toMatchObject(whole);
  });

  it('may be empty', async () => {
    await truncate(stored, 0);
    offered = { ...offered, size: 0 };
    const { status, headers, body } = await get();
    expect([status, headers['content-length'], headers['content-type'], body.length]).toEqual([
      200,
      '0',
      'image/webp',
      0,
    ]);
    expect((await get({ range: 'bytes=0-' })).status).toBe(416);
  });

  it.each([
    ['Größe 雪.webp', /^attachment; filename="Gro_e _.webp"; filename\*=UTF-8''Gr%C3%B6%C3%9Fe%20%E9%9B%AA.webp$/],
    ['../a"b.png', /^attachment; filename="a\\"b.png"$/],
    ['100%25.png', /^attachment; filename="100%25.png"; filename\*=UTF-8''100%2525.png$/],
    ['x\ud800.png', /^attachment; filename="x_.png"; filename\*=UTF-8''x%EF%BF%BD.png$/],
    [
      'a\r\nSet-Cookie: x.png',
      /^attachment; filename="a__Set-Cookie: x.png"; filename\*=UTF-8''a%0D%0ASet-Cookie%3A%20x.png$/,
    ],
  ])('is offered under the name %j', async (filename, header) => {
    offered = { ...offered, filename };
    const { headers } = await get();
    expect(headers['content-disposition']).toMatch(header);
    expect(headers['set-cookie']).toBeUndefined();
  });
});

describe('conditional requests', () => {
  it.each([[`"${ETAG}"`], [`W/"${ETAG}"`], [`"other", "${ETAG}"`], ['*']])(
    'answers 304 to If-None-Match: %s',
    async (tag) => {
      const { status, headers, body } = await get({ 'if-none-match': tag, range: 'bytes=999999-' });
      expect([status, body.length]).toEqual([304, 0]);
      expect(headers).toMatchObject({ etag: `"${ETAG}"`, 'cache-control': 'private, no-cache' });
      expect(headers['content-length']).toBeUndefined();
    },
  );

  it('sends the file if the validator differs', async () => {
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
    expect((await get({ 'if-none-match': ETAG })).status).toBe(200);
  });
});

describe('If-Match', () => {
  it.each([[`"${ETAG}"`], [`W/"x",  "other" ,"${ETAG}"`], ['*'], [' * ']])('sends the file for %s', async (tag) => {
    expect(await get({ 'if-match': tag })).toMatchObject({ status: 200, body: CONTENT });
    expect((await get({ 'if-match': tag, range: 'bytes=0-9' })).status).toBe(206);
    expect((await get({ 'if-match': tag, 'if-none-match': '*' })).status).toBe(304);
  });

  it.each([['"other"'], [`W/"${ETAG}"`], [ETAG], ['"*"'], ['x'.repeat(500)]])('is 412 for %s', async (tag) => {
    for (const [name, value] of [
      ['range', 'bytes=0-9'],
      ['range', 'bytes=999999-'],
      ['if-none-match', `"${ETAG}"`],
    ] as const) {
      const { status, headers, body } = await get({ 'if-match': tag, [name]: value });
      expect(status).toBe(412);
      expect(headers.etag).toBe(`"${ETAG}"`);
      expect(headers['content-disposition']).toBeUndefined();
      const { error, code } = JSON.parse(body.toString());
      expect(code).toBe('precondition_failed');
      expect(error).toContain(`If-Match: expected "${ETAG}" or *, but received ${tag.slice(0, 100)}`);
      expect(error.length).toBeLessThan(300);
    }
    expect(await get({ 'if-match': tag }, 'HEAD')).toMatchObject({ status: 412, body: Buffer.alloc(0) });
  });

  it('is not replaced by If-Unmodified-Since, since no Last-Modified is sent', async () => {
    const { status, headers } = await get({ 'if-unmodified-since': new Date(0).toUTCString() });
    expect([status, headers['last-modified']]).toEqual([200, undefined]);
  });
});

describe('ranges', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=100-299', 100, 299],
    ['bytes=199999-', 199_999, 199_999],
    ['bytes=65530-65545', 65_530, 65_545],
    ['bytes=-100', 199_900, 199_999],
    ['bytes=-999999', 0, 199_999],
    ['bytes=100-999999', 100, 199_999],
  ])('responds to %s with these bytes', async (range, first, last) => {
    const { status, headers, body } = await get({ range });
    expect(status).toBe(206);
    expect(headers['content-range']).toBe(`bytes ${first}-${last}/200000`);
    expect(headers['content-length']).toBe(String(last - first + 1));
    expect(body.equals(CONTENT.subarray(first, last + 1))).toBe(true);
  });

  it.each(['bytes=0-1,5-6', 'bytes=5-1', 'bytes=-', 'bytes=a-b', 'items=0-1', 'bytes=1', 'bytes=1--2'])(
    'ignores %s',
    async (range) => {
      const { status, body } = await get({ range });
      expect([status, body.length]).toEqual([200, 200_000]);
    },
  );

  it.each(['bytes=200000-', 'bytes=200000-200001', 'bytes=-0', 'bytes=99999999999999999999-'])(
    'answers %s with 416, without the headers of a file',
    async (range) => {
      const { status, headers, body } = await get({ range });
      expect(status).toBe(416);
      expect(headers['content-range']).toBe('bytes */200000');
      expect(JSON.parse(body.toString())).toMatchObject({ code: 'range_not_satisfiable' });
      expect(headers['content-disposition'] ?? headers.etag ?? headers['last-modified']).toBeUndefined();
      expect(headers['content-type']).toContain('json');
    },
  );

  it('honours If-Range', async () => {
    const status = async (condition: string) => (await get({ range: 'bytes=0-9', 'if-range': condition })).status;
    expect(await status(`"${ETAG}"`)).toBe(206);
    expect(await status('"other"')).toBe(200);
    expect(await status(`W/"${ETAG}"`)).toBe(200);
    expect(await status(new Date(0).toUTCString())).toBe(200);
  });

  it('sends ranges that add up to the whole file', async () => {
    const bodies: Buffer[] = [];
    for (let at = 0; at < CONTENT.length; at += 33_333) {
      bodies.push((await get({ range: `bytes=${at}-${at + 33_332}` })).body);
    }
    expect(Buffer.concat(bodies).equals(CONTENT)).toBe(true);
  });

  it('reads each range within the file', () => {
    for (const size of [1, 2, 10]) {
      for (let first = 0; first < size; first++) {
        for (let last = first; last < size + 2; last++) {
          expect(parseByteRange(`bytes=${first}-${last}`, size)).toEqual({ first, last: Math.min(last, size - 1) });
        }
      }
    }
  });
});

describe('failures', () => {
  it('responds 404 for a missing file', async () => {
    await rm(stored);
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await get({}, method);
      expect(status).toBe(404);
      expect(headers.etag ?? headers['content-disposition']).toBeUndefined();
    }
    expect(JSON.parse((await get()).body.toString())).toMatchObject({ code: 'file_not_found' });
  });

  it('does not send a file of another size than recorded', async () => {
    await truncate(stored, 1000);
    expect((await get()).status).toBe(500);
  });

  it('leaks no open file on success, 304, 416, HEAD, 404, or disconnected clients', async () => {
    await get();
    const before = await openFiles();
    for (let n = 0; n < 20; n++) {
      await get();
      await get({ 'if-none-match': '*' });
      await get({ range: 'bytes=999999-' });
      await get({}, 'HEAD');
    }
    // At once, since the garbage collector closes leaked handles later.
    await until(async () => (await openFiles()) <= before, 1_000);
    // Larger than all kernel buffers together, so that the transfer is not finished.
    const size = 30_000_000;
    await truncate(stored, size);
    offered = { ...offered, size };
    for (let n = 0; n < 50; n++) {
      const socket = connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(socket, 'readable');
      socket.destroy();
    }
    await until(async () => (await openFiles()) <= before);
  });

  it('reads from the disk only as fast as the client reads', async () => {
    const size = 300_000_000;
    await truncate(stored, size);
    offered = { ...offered, size };
    const before = process.memoryUsage().external;
    const sockets = Array.from({ length: 5 }, () => {
      const socket = connect(port, '127.0.0.1').pause();
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      return socket;
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(process.memoryUsage().external - before).toBeLessThan(50_000_000);
    for (const socket of sockets) socket.destroy();
  });
});
