import { EventEmitter, once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EventSource, sendEvents } from '../../server/http/job-stream.ts';
import { createStreamRegistry, type EventStream, type StreamRegistry } from '../../server/sse/index.ts';
import { openClient, payload, until } from '../sse/stream-server.ts';

let registry: StreamRegistry;
let server: Server;
let port: number;
let errors: unknown[];
let source: () => EventSource;
let headers: Record<string, string>;
/** Number of handlers that have returned. */
let returned: number;

beforeEach(async () => {
  registry = createStreamRegistry();
  errors = [];
  returned = 0;
  headers = { 'X-Job-Id': 'job_1' };
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx) => {
    ctx.set('X-Request-Id', 'req_1');
    await sendEvents(ctx, source(), { registry, headers, onError: (error) => errors.push(error) });
    returned++;
  });
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const progress = (n: number, data: unknown = { n }) => ({ id: `job_1:${n}`, event: 'progress', data });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('sends events at once, with the given headers, and ends the connection after the last', async () => {
  const gate = new EventEmitter();
  source = async function* () {
    yield progress(1);
    await once(gate, 'go');
    yield { id: 'job_1:2', event: 'complete', data: { ok: true } };
  };
  const client = openClient(port);
  await client.saw('data: {"n":1}\n\n');
  gate.emit('go');
  await client.closed;
  expect(client.text()).toContain('X-Job-Id: job_1\r\n');
  expect(client.text()).toContain('X-Request-Id: req_1\r\n');
  expect(payload(client.text())).toBe(
    'retry: 3000\n: open\n\nid: job_1:1\nevent: progress\ndata: {"n":1}\n\nid: job_1:2\nevent: complete\ndata: {"ok":true}\n\n\r\n',
  );
  expect([returned, registry.size, errors]).toEqual([1, 0, []]);
});

it('ends after the terminal event, sends nothing after it, and reads the source to its end', async () => {
  let settled = false;
  const gate = new EventEmitter();
  source = async function* () {
    yield { id: '1', event: 'error', data: { error: 'x' } };
    await once(gate, 'go');
    yield progress(2);
    settled = true;
  };
  const client = openClient(port);
  await client.closed;
  expect(settled).toBe(false);
  gate.emit('go');
  await until(() => returned === 1);
  expect(settled).toBe(true);
  expect(client.text()).not.toContain('progress');
});

it('ends the response and reports the error if the source throws', async () => {
  source = async function* () {
    yield progress(1);
    throw new Error('broken source');
  };
  const client = openClient(port);
  await client.closed;
  expect(client.text()).toContain('{"n":1}');
  expect(client.text()).not.toContain('broken source');
  expect(errors).toEqual([new Error('broken source')]);
});

it('ends the response and the source if an event cannot be framed', async () => {
  let cleaned = false;
  source = async function* () {
    try {
      yield { id: 'a\nb', event: 'progress', data: 1 };
      yield progress(2);
    } finally {
      cleaned = true;
    }
  };
  await openClient(port).closed;
  expect(cleaned).toBe(true);
  expect(errors).toHaveLength(1);
});

it('leaves the response to Koa if it cannot open the stream', async () => {
  headers = { 'X-Job-Id': 'a\r\nb' };
  source = async function* () {
    yield progress(1);
  };
  const client = openClient(port);
  await client.saw('HTTP/1.1 500');
  expect(registry.size).toBe(0);
  client.socket.destroy();
});

it('stops the source if the client disconnects between two events', async () => {
  let cleaned = false;
  source = async function* () {
    try {
      for (let n = 0; ; n++) {
        yield progress(n);
        await pause(5);
      }
    } finally {
      cleaned = true;
    }
  };
  const client = openClient(port);
  await client.saw('"n":3');
  client.socket.destroy();
  await until(() => cleaned && returned === 1);
  expect(errors).toEqual([]);
});

it('returns at once and aborts the source if the client disconnects during a long step', async () => {
  let reported = false;
  source = () => (signal) =>
    (async function* () {
      yield progress(1);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      reported = true;
    })();
  const client = openClient(port);
  await client.saw('"n":1');
  client.socket.destroy();
  await until(() => reported && returned === 1);

  source = () =>
    (async function* () {
      yield progress(1);
      await new Promise(() => {});
    })();
  const deaf = openClient(port);
  await deaf.saw('"n":1');
  deaf.socket.destroy();
  await until(() => returned === 2);
  expect(errors).toEqual([]);
});

it('ends every open stream for a shutdown', async () => {
  source = async function* () {
    yield progress(1);
    await new Promise(() => {});
  };
  const clients = Array.from({ length: 20 }, () => openClient(port));
  await Promise.all(clients.map((client) => client.saw('"n":1')));
  expect(registry.size).toBe(20);
  registry.closeAll();
  await Promise.all(clients.map((client) => client.closed));
  await until(() => registry.size === 0 && returned === 20);
  expect(clients.every((client) => client.text().endsWith('0\r\n\r\n'))).toBe(true);
});

it('replays a long history completely to a reader that keeps up', async () => {
  source = async function* () {
    for (let n = 0; n < 3000; n++) yield progress(n, 'x'.repeat(2000));
    yield { id: 'job_1:3000', event: 'complete', data: 1 };
  };
  const client = openClient(port);
  await client.closed;
  const ids = [...client.text().matchAll(/^id: job_1:(\d+)$/gm)].map((match) => Number(match[1]));
  expect(ids).toEqual(Array.from({ length: 3001 }, (_, n) => n));
});

it('drops progress for a stalled reader and still delivers the terminal event', async () => {
  const client = openClient(port, { paused: true });
  let text = '';
  const read = () => {
    client.socket.on('data', (data) => {
      text += data;
    });
    client.socket.resume();
  };
  let dropped = 0;
  let opened: EventStream | undefined;
  const { open } = registry;
  registry.open = (...input) => {
    opened = open(...input);
    return opened;
  };
  source = async function* () {
    for (let n = 0; n < 400; n++) {
      if (dropped < 3 && opened?.congested && ++dropped === 3) read();
      // Enough to fill the kernel's buffers (a few megabytes) and some more.
      yield progress(n, 'x'.repeat(40_000));
      if (n % 20 === 0) await pause(1);
    }
    yield { id: 'last', event: 'complete', data: 1 };
  };
  await client.closed;
  const count = [...text.matchAll(/^event: progress$/gm)].length;
  expect(dropped).toBe(3);
  expect(count).toBeGreaterThan(10);
  // The third may have been sent, since its reader continued by then.
  expect(count).toBeLessThanOrEqual(400 - 2);
  expect(text).toContain('id: last\nevent: complete');
});

it('keeps no stream and no listener after 1,000 clients have disconnected', async () => {
  const hub = new EventEmitter().setMaxListeners(0);
  let open = 0;
  source = () => (signal) =>
    (async function* () {
      open++;
      try {
        yield progress(1);
        await once(hub, 'event', { signal }).catch(() => {});
      } finally {
        open--;
      }
    })();
  const base = server.listenerCount('close') + process.listenerCount('exit') + process.listenerCount('warning');
  for (let round = 0; round < 10; round++) {
    const clients = Array.from({ length: 100 }, () => openClient(port));
    await Promise.all(clients.map((client) => client.saw('"n":1')));
    for (const client of clients) client.socket.destroy();
  }
  await until(() => returned === 1000 && open === 0);
  expect([registry.size, hub.listenerCount('event'), errors]).toEqual([0, 0, []]);
  expect(server.listenerCount('close') + process.listenerCount('exit') + process.listenerCount('warning')).toBe(base);
  const connections = await new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  expect(connections).toBe(0);
});
