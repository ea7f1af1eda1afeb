import { createHash, randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppError } from '../../server/errors.ts';
import type { Resolve } from '../../server/sessions/guarded-request.ts';
import { createUrlImporter } from '../../server/sessions/import-url.ts';
import { isPublicAddress } from '../../server/sessions/public-address.ts';

// Linux answers on all of 127/8: one address plays the public internet, the others are what must not be reached.
const OUTSIDE = '127.0.0.2';
const IMAGE = randomBytes(100_000);
// The time limit is far off, except where time is what is tested: the machine may be busy.
const LIMITS = { maxFileBytes: 1_000_000, timeoutMs: 10_000, maxRedirects: 3 };

type Handler = (req: IncomingMessage, res: ServerResponse) => void;
let directory: string;
let target: string;
let outside: Server;
let inside: Server;
let port: number;
let insideConnections: number;
let requests: IncomingMessage[];
let handle: Handler;
/** What the injected resolver answers, by host name. */
let names: Record<string, string[]>;

async function listen(server: Server, at: number, host: string): Promise<number> {
  server.listen(at, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-import-'));
  target = join(directory, 'import.part');
  insideConnections = 0;
  requests = [];
  names = { 'cdn.test': [OUTSIDE] };
  handle = (_, res) => res.setHeader('content-type', 'image/png').end(IMAGE);
  outside = createServer((req, res) => {
    requests.push(req);
    handle(req, res);
  });
  port = await listen(outside, 0, OUTSIDE);
  inside = createServer((_, res) => res.setHeader('content-type', 'image/png').end('secret'));
  inside.on('connection', () => insideConnections++);
  await listen(inside, port, '127.0.0.1');
});
afterEach(async () => {
  for (const server of [outside, inside]) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await rm(directory, { recursive: true });
});

const resolve: Resolve = async (name) => {
  const addresses = names[name] ?? [];
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};

const lookupAll: Resolve = (name) => lookup(name, { all: true });

function fetchToFile(url: string, options: { signal?: AbortSignal; resolve?: Resolve; timeoutMs?: number } = {}) {
  const importer = createUrlImporter({
    limits: { ...LIMITS, timeoutMs: options.timeoutMs ?? LIMITS.timeoutMs },
    allowPrivate: (address) => address === OUTSIDE,
    resolve: options.resolve ?? resolve,
  });
  return importer.fetchToFile({ url, target, signal: options.signal });
}

/** The error of an import that must fail, leave no file, and reach nothing inside. */
async function refused(url: string, options = {}): Promise<AppError> {
  const error = await fetchToFile(url, options).then(
    () => {
      throw new Error(`${url} was imported`);
    },
    (thrown: AppError) => thrown,
  );
  expect(await readdir(directory)).toEqual([]);
  expect(insideConnections).toBe(0);
  return error;
}

describe('an allowed URL', () => {
  it('arrives byte for byte, with its name, size and hash', async () => {
    const sha256 = createHash('sha256').update(IMAGE).digest('hex');
    const imported = await fetchToFile(`http://cdn.test:${port}/a/Gr%C3%B6%C3%9Fe.png?x=1`);
    expect(imported).toEqual({ originalFilename: 'Größe.png', size: IMAGE.length, sha256 });
    expect((await readFile(target)).equals(IMAGE)).toBe(true);
    expect(requests[0]?.headers).toMatchObject({ 'accept-encoding': 'identity' });
    expect(requests[0]?.headers.cookie ?? requests[0]?.headers.authorization).toBeUndefined();
  });

  it.each([
    ['/', 'image'],
    ['/%2e%2e%2f%2e%2e%2fpasswd', 'passwd'],
    ['/%zz.png', '%zz.png'],
    ['/a%00b%0a.png', 'ab.png'],
  ])('with the path %s is named %s', async (path, name) => {
    expect((await fetchToFile(`http://${OUTSIDE}:${port}${path}`)).originalFilename).toBe(name);
  });

  it('may be sent as an octet stream, in chunks', async () => {
    handle = (_, res) => {
      res.setHeader('content-type', 'application/octet-stream').write(IMAGE.subarray(0, 10));
      setTimeout(() => res.end(IMAGE.subarray(10)), 20);
    };
    expect((await fetchToFile(`http://cdn.test:${port}/x`)).size).toBe(IMAGE.length);
  });

  it('may redirect three times, not four', async () => {
    handle = (req, res) => {
      const left = Number(req.url?.slice(1));
      if (left === 0) res.setHeader('content-type', 'image/png').end(IMAGE);
      else res.writeHead(302, { location: `/${left - 1}`, 'set-cookie': 'a=b' }).end('moved');
    };
    expect((await fetchToFile(`http://cdn.test:${port}/3`)).size).toBe(IMAGE.length);
    expect(requests.map((req) => req.headers.cookie)).toEqual(Array(4).fill(undefined));
    await rm(target);
    expect((await refused(`http://cdn.test:${port}/4`)).message).toContain('more than 3');
  });

  it('never overwrites a file', async () => {
    await writeFile(target, 'mine');
    await expect(fetchToFile(`http://cdn.test:${port}/x`)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(target, 'utf8')).toBe('mine');
  });
});

const TRICKS = [
  'http://127.0.0.1',
  'http://127.1',
  'http://0x7f000001',
  'http://0x7f.0.0.1',
  'http://2130706433',
  'http://0177.0.0.1',
  'http://0',
  'http://①②⑦.0.0.1',
  'http://127.0.0.1.',
  'http://[::1]',
  'http://[::]',
  'http://[::ffff:7f00:1]',
  'http://[::ffff:127.0.0.1]',
  'http://[::127.0.0.1]',
  'http://[64:ff9b::7f00:1]',
  'http://[2002:7f00:1::]',
  'http://[fe80::1]',
  'http://[fd00::1]',
  'http://169.254.169.254',
  'http://10.0.0.1',
  'http://100.64.0.1',
  'http://172.16.0.1',
  'http://192.168.0.1',
  'http://224.0.0.1',
];

describe('addresses that are not public', () => {
  it.each(TRICKS)('are refused as a literal: %s', async (origin) => {
    const error = await refused(`${origin}:${port}/latest/meta-data`);
    expect(error.code).toBe('url_import_failed');
    expect(error.message).toBe('The URL could not be imported: its host cannot be reached or is not allowed');
  });

  it.each(TRICKS)('are refused as the target of a redirect: %s', async (origin) => {
    handle = (_, res) => res.writeHead(302, { location: Buffer.from(`${origin}:${port}/`).toString('latin1') }).end();
    expect((await refused(`http://cdn.test:${port}/`)).code).toBe('url_import_failed');
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['localhost', undefined],
    ['localhost.', undefined],
    ['own host name', undefined],
    ['internal.test', ['127.0.0.1']],
    ['internal6.test', ['::1']],
    ['mapped.test', ['::ffff:127.0.0.1']],
    ['mixed.test', [OUTSIDE, '127.0.0.1']],
    ['nowhere.test', []],
  ])('are refused behind the name %s', async (name, addresses) => {
    if (addresses) names[name] = addresses;
    const host = name === 'own host name' ? hostname() : name;
    // Without addresses: the system's own resolver, which knows this name everywhere.
    if (host === 'localhost') expect(await lookupAll(host)).not.toEqual([]);
    const error = await refused(`http://${host}:${port}/`, addresses ? {} : { resolve: lookupAll });
    expect(error.message).toContain('cannot be reached or is not allowed');
    expect(error.message).not.toContain(host);
    expect(requests).toHaveLength(0);
  });

  it('are refused when a name resolves to them the second time (DNS rebinding)', async () => {
    let asked = 0;
    handle = (_, res) =>
      res.writeHead(302, { location: `http://rebind.test:${port}/again`, connection: 'close' }).end();
    const rebinding: Resolve = async () => [{ address: asked++ === 0 ? OUTSIDE : '127.0.0.1', family: 4 }];
    expect((await refused(`http://rebind.test:${port}/`, { resolve: rebinding })).code).toBe('url_import_failed');
    expect(asked).toBe(2);
  });

  it('include every range that is not for the public, and this machine itself', () => {
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    for (const { address } of own) expect(isPublicAddress(address), address).toBe(false);
    for (const address of [
      '0.0.0.0',
      '255.255.255.255',
      '192.0.2.1',
      '198.18.0.1',
      '240.0.0.1',
      '192.88.99.1',
      'x',
      '',
    ]) {
      expect(isPublicAddress(address), address).toBe(false);
    }
    for (const address of ['2001::1', '2001:db8::1', '100::1', '4000::1', 'fec0::1', 'ff02::1', 'fe80::1%eth0']) {
      expect(isPublicAddress(address), address).toBe(false);
    }
    for (const address of ['8.8.8.8', '93.184.215.14', '2606:4700::1111']) {
      expect(isPublicAddress(address), address).toBe(true);
    }
  });
});

describe('URLs that are refused unseen', () => {
  it.each([
    ['file:///etc/passwd', 'http or https'],
    ['data:image/png;base64,AAAA', 'http or https'],
    ['ftp://cdn.test/x', 'http or https'],
    ['gopher://cdn.test/', 'http or https'],
    ['//cdn.test/x', 'http or https'],
    ['', 'http or https'],
    ['http://', 'http or https'],
    ['http://user:secret@cdn.test/x', 'user name'],
    ['http://cdn.test@127.0.0.1/x', 'user name'],
  ])('%s', async (url, why) => {
    const error = await refused(url);
    expect(error.code).toBe('url_import_failed');
    expect(error.message).toContain(why);
    expect(error.message).not.toContain('secret');
  });

  it.each(['file:///etc/passwd', 'data:image/png;base64,AAAA', 'http://a:b@cdn.test/'])(
    'are refused as the target of a redirect: %s',
    async (location) => {
      handle = (_, res) => res.writeHead(302, { location }).end();
      expect((await refused(`http://cdn.test:${port}/`)).code).toBe('url_import_failed');
    },
  );

  it('have another port than 80 and 443', async () => {
    const importer = createUrlImporter({ limits: LIMITS, resolve: async () => [{ address: '8.8.8.8', family: 4 }] });
    for (const url of ['http://cdn.test:22/', 'https://cdn.test:8443/', `http://cdn.test:${port}/`]) {
      await expect(importer.fetchToFile({ url, target })).rejects.toThrow('port 80 or 443');
    }
  });

  it('are local ones when nothing is relaxed for a test', async () => {
    const importer = createUrlImporter({ limits: LIMITS });
    for (const url of ['http://127.0.0.1/', 'http://localhost/', 'https://[::1]/', `http://${OUTSIDE}/`]) {
      await expect(importer.fetchToFile({ url, target })).rejects.toMatchObject({ code: 'url_import_failed' });
    }
  });
});

describe('a hostile server', () => {
  // With undici 7 this was an uncaught exception (nodejs/undici issue 5360).
  it('may close its connection while the body is still being written to disk', async () => {
    const raw = createTcpServer((socket) => {
      socket
        .on('error', () => {})
        .once('data', () => {
          socket.write(
            'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 900000\r\nConnection: close\r\n\r\n',
          );
          socket.end(Buffer.alloc(900_000));
        });
    });
    raw.listen(0, OUTSIDE);
    await once(raw, 'listening');
    const { port: at } = raw.address() as AddressInfo;
    for (let round = 0; round < 20; round++) {
      expect((await fetchToFile(`http://cdn.test:${at}/`)).size).toBe(900_000);
      await rm(target);
    }
    raw.close();
  });

  it.each([
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
    'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
    'SSH-2.0-OpenSSH_9.2\r\n',
    '',
  ])('may answer %j', async (answer) => {
    const raw = createTcpServer((socket) => void socket.on('error', () => {}).once('data', () => socket.end(answer)));
    raw.listen(0, OUTSIDE);
    await once(raw, 'listening');
    const error = await refused(`http://cdn.test:${(raw.address() as AddressInfo).port}/`);
    expect(error.code).toBe('url_import_failed');
    expect(error.message).not.toMatch(/SSH|parse|hang/i);
    raw.close();
  });
});

describe('answers that are refused', () => {
  it.each([
    [404, { 'content-type': 'image/png' }, 'status 200'],
    [206, { 'content-type': 'image/png' }, 'status 200'],
    [200, { 'content-type': 'text/html' }, 'Content-Type'],
    [200, {}, 'Content-Type'],
    [302, {}, 'redirects'],
  ])('status %s with %j', async (status, headers, why) => {
    handle = (_, res) => res.writeHead(status, headers).end('inner secret');
    const error = await refused(`http://cdn.test:${port}/`);
    expect(error.code).toBe('url_import_failed');
    expect(error.message).toContain(why);
    expect(JSON.stringify([error.message, error.details])).not.toMatch(/secret|127\./);
  });

  it('is compressed, though identity was asked for: a bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    handle = (_, res) => res.writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' }).end(bomb);
    expect((await refused(`http://cdn.test:${port}/`)).message).toContain('without encoding');
  });

  it('is empty', async () => {
    handle = (_, res) => res.setHeader('content-type', 'image/png').end();
    expect((await refused(`http://cdn.test:${port}/`)).message).toContain('empty');
  });

  it('is too large by its Content-Length, before a byte of it is read', async () => {
    handle = (_, res) => res.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000001' }).write('x');
    expect(await refused(`http://cdn.test:${port}/`)).toMatchObject({
      code: 'file_too_large',
      details: { limit: 1_000_000 },
    });
  });

  it('is too large by count; exactly at the limit it is taken', async () => {
    let sent = 0;
    handle = (_, res) => {
      res.setHeader('content-type', 'image/png');
      const more = () => {
        sent += 65_536;
        if (!res.destroyed) res.write(Buffer.alloc(65_536), more);
      };
      more();
    };
    expect((await refused(`http://cdn.test:${port}/`)).code).toBe('file_too_large');
    // Not far more was taken off the wire than the limit and the buffers on the way.
    expect(sent).toBeLessThan(20_000_000);
    handle = (_, res) => res.setHeader('content-type', 'image/png').end(Buffer.alloc(1_000_000));
    expect((await fetchToFile(`http://cdn.test:${port}/`)).size).toBe(1_000_000);
  });

  it('breaks off', async () => {
    handle = (_, res) => {
      res.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000' }).write('x');
      setTimeout(() => res.destroy(), 20);
    };
    expect((await refused(`http://cdn.test:${port}/`)).message).toContain('broke off');
  });
});

describe('time', () => {
  const slow: [string, Handler][] = [
    ['headers never come', () => {}],
    [
      'the body drips',
      (_, res) => {
        res.writeHead(200, { 'content-type': 'image/png' });
        const drip = setInterval(() => (res.destroyed ? clearInterval(drip) : res.write('x')), 20);
      },
    ],
    [
      'each redirect takes its time',
      (_, res) => void setTimeout(() => res.writeHead(302, { location: '/again' }).end(), 300),
    ],
  ];
  it.each(slow)('is up after the limit when %s', async (_, handler) => {
    handle = handler;
    const started = Date.now();
    const error = await refused(`http://cdn.test:${port}/`, { timeoutMs: 700 });
    expect([error.code, error.message.includes('within 0.7 seconds')]).toEqual(['url_import_failed', true]);
    expect(Date.now() - started).toBeLessThan(9_000);
  });

  it('is up after the limit when the resolver does not answer', async () => {
    const started = Date.now();
    const error = await refused(`http://cdn.test:${port}/`, {
      resolve: () => new Promise(() => {}),
      timeoutMs: 700,
    });
    expect(error.message).toContain('within 0.7 seconds');
    expect(Date.now() - started).toBeLessThan(9_000);
  });

  it('is up at once when the signal aborts, with its reason', async () => {
    const controller = new AbortController();
    handle = () => controller.abort(new Error('the client left'));
    const started = Date.now();
    expect(await refused(`http://cdn.test:${port}/`, { signal: controller.signal })).toEqual(
      new Error('the client left'),
    );
    expect(Date.now() - started).toBeLessThan(9_000);
  });

  it('leaves no connection open, whatever came', async () => {
    await fetchToFile(`http://cdn.test:${port}/`);
    await rm(target);
    // More than the kernel's buffers take, so that an unread answer would keep the connection.
    handle = (_, res) => res.writeHead(404).end(Buffer.alloc(30_000_000));
    await refused(`http://cdn.test:${port}/`);
    const open = () => new Promise<number>((resolve) => outside.getConnections((_, count) => resolve(count)));
    // Sooner than the time limit, which would end it anyway.
    for (let tries = 0; tries < 300 && (await open()) > 0; tries++) await new Promise((done) => setTimeout(done, 10));
    expect(await open()).toBe(0);
  });
});
