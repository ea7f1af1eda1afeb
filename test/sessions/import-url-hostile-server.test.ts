import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Handler, OUTSIDE, useImportRig } from './import-rig.ts';

const rig = useImportRig();

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
      expect((await rig.fetchToFile(`http://cdn.test:${at}/`)).size).toBe(900_000);
      await rm(rig.target);
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
    const error = await rig.refused(`http://cdn.test:${(raw.address() as AddressInfo).port}/`);
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
    rig.handle = (_, res) => res.writeHead(status, headers).end('inner secret');
    const error = await rig.refused(`http://cdn.test:${rig.port}/`);
    expect(error.code).toBe('url_import_failed');
    expect(error.message).toContain(why);
    expect(JSON.stringify([error.message, error.details])).not.toMatch(/secret|127\./);
  });

  it('is compressed, though identity was asked for: a bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    rig.handle = (_, res) => res.writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' }).end(bomb);
    expect((await rig.refused(`http://cdn.test:${rig.port}/`)).message).toContain('without encoding');
  });

  it('is empty', async () => {
    rig.handle = (_, res) => res.setHeader('content-type', 'image/png').end();
    expect((await rig.refused(`http://cdn.test:${rig.port}/`)).message).toContain('empty');
  });

  it('is too large by its Content-Length, before a byte of it is read', async () => {
    rig.handle = (_, res) =>
      res.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000001' }).write('x');
    expect(await rig.refused(`http://cdn.test:${rig.port}/`)).toMatchObject({
      code: 'file_too_large',
      details: { limit: 1_000_000 },
    });
  });

  it('is too large by count; exactly at the limit it is taken', async () => {
    let sent = 0;
    rig.handle = (_, res) => {
      res.setHeader('content-type', 'image/png');
      const more = () => {
        sent += 65_536;
        // Node 26 calls back at once when the client has left, which would starve the client.
        if (!res.destroyed) res.write(Buffer.alloc(65_536), () => setImmediate(more));
      };
      more();
    };
    expect((await rig.refused(`http://cdn.test:${rig.port}/`)).code).toBe('file_too_large');
    // Not far more was taken off the wire than the limit and the buffers on the way.
    expect(sent).toBeLessThan(20_000_000);
    rig.handle = (_, res) => res.setHeader('content-type', 'image/png').end(Buffer.alloc(1_000_000));
    expect((await rig.fetchToFile(`http://cdn.test:${rig.port}/`)).size).toBe(1_000_000);
  });

  it('breaks off', async () => {
    rig.handle = (_, res) => {
      res.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000' }).write('x');
      setTimeout(() => res.destroy(), 20);
    };
    expect((await rig.refused(`http://cdn.test:${rig.port}/`)).message).toContain('broke off');
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
    rig.handle = handler;
    const started = Date.now();
    const error = await rig.refused(`http://cdn.test:${rig.port}/`, { timeoutMs: 700 });
    expect([error.code, error.message.includes('within 0.7 seconds')]).toEqual(['url_import_failed', true]);
    expect(Date.now() - started).toBeLessThan(90_000);
  });

  it('is up after the limit when the resolver does not answer', async () => {
    const started = Date.now();
    const error = await rig.refused(`http://cdn.test:${rig.port}/`, {
      resolve: () => new Promise(() => {}),
      timeoutMs: 700,
    });
    expect(error.message).toContain('within 0.7 seconds');
    expect(Date.now() - started).toBeLessThan(90_000);
  });

  it('is up at once when the signal aborts, with its reason', async () => {
    const controller = new AbortController();
    rig.handle = () => controller.abort(new Error('the client left'));
    const started = Date.now();
    expect(await rig.refused(`http://cdn.test:${rig.port}/`, { signal: controller.signal })).toEqual(
      new Error('the client left'),
    );
    expect(Date.now() - started).toBeLessThan(90_000);
  });

  it('leaves no connection open, whatever came', async () => {
    await rig.fetchToFile(`http://cdn.test:${rig.port}/`);
    await rm(rig.target);
    // More than the kernel's buffers take, so that an unread answer would keep the connection.
    rig.handle = (_, res) => res.writeHead(404).end(Buffer.alloc(30_000_000));
    await rig.refused(`http://cdn.test:${rig.port}/`);
    const open = () => new Promise<number>((resolve) => rig.outside.getConnections((_, count) => resolve(count)));
    // Sooner than the time limit, which would end it anyway.
    await expect.poll(open).toBe(0);
  });
});
