import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CUT_ABOVE_BYTES, CUT_AFTER_MS, DROP_ABOVE_BYTES } from '../../server/sse/event-stream.ts';
import { createStreamRegistry, type EventStream, type StreamRegistry } from '../../server/sse/index.ts';
import { openClient, payload, startServer, until } from './stream-server.ts';

let registry: StreamRegistry;
let streams: EventStream[];
let server: Awaited<ReturnType<typeof startServer>>;

beforeEach(async () => {
  streams = [];
  registry = createStreamRegistry();
  server = await startServer((res) => {
    streams.push(registry.open(res, { retryMs: 3000, headers: { 'X-Job-Id': 'job_1' } }));
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await server.close();
});

async function open(options?: { paused: boolean }) {
  const client = openClient(server.port, options);
  await until(() => streams.length > 0);
  const stream = streams.at(-1);
  if (!stream) throw new Error('No stream');
  return { client, stream };
}
const fakeClock = () => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
const big = (event: string, id: string) => ({ event, id, data: 'x'.repeat(64 * 1024) });

/** Fills the kernel's buffers and then the stream's own, up to the limit for droppable events. */
async function clog(stream: EventStream): Promise<number> {
  let sent = 0;
  for (let idle = 0; idle < 5; idle = stream.congested ? idle + 1 : 0) {
    if (!stream.congested) stream.send(big('kept', `k:${sent++}`));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return sent;
}

describe('opening', () => {
  it('sends status, headers and first bytes at once', async () => {
    const { client } = await open();
    await client.saw('retry: 3000\n: open\n\n');
    expect(client.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    for (const header of [
      'Content-Type: text/event-stream; charset=utf-8',
      'Cache-Control: no-cache, no-transform',
      'X-Accel-Buffering: no',
      'Connection: close',
      'X-Job-Id: job_1',
    ]) {
      expect(client.text()).toContain(`\r\n${header}\r\n`);
    }
    expect(client.text()).not.toMatch(/content-length|content-encoding|keep-alive/i);
  });

  it('does not register a client that has disconnected', async () => {
    const late = createStreamRegistry();
    const results: EventStream[] = [];
    const other = await startServer((res) => {
      res.once('close', () => results.push(late.open(res, { retryMs: 3000 })));
    });
    openClient(other.port).socket.once('connect', function (this: import('node:net').Socket) {
      setTimeout(() => this.destroy(), 20);
    });
    await until(() => results.length === 1);
    expect(results[0]?.signal.aborted).toBe(true);
    expect(late.size).toBe(0);
    await other.close();
  });
});

describe('sending and ending', () => {
  it('sends events in order and ends the connection', async () => {
    const { client, stream } = await open();
    stream.send({ event: 'progress', id: 'j:1', data: { n: 1 } });
    stream.send({ event: 'complete', id: 'j:2', data: { text: 'ü\n' } });
    stream.end();
    await client.closed;
    expect(payload(client.text())).toBe(
      'retry: 3000\n: open\n\nid: j:1\nevent: progress\ndata: {"n":1}\n\nid: j:2\nevent: complete\ndata: {"text":"ü\\n"}\n\n\r\n',
    );
    expect(registry.size).toBe(0);
    expect(stream.signal.aborted).toBe(false);
  });

  it('writes nothing after the end', async () => {
    const { client, stream } = await open();
    stream.end();
    stream.send({ event: 'late', id: '1', data: 1 });
    stream.end();
    await client.closed;
    expect(client.text()).not.toContain('late');
    expect(client.text().endsWith('0\r\n\r\n')).toBe(true);
  });

  it('aborts its signal and removes the stream if the client disconnects', async () => {
    const { client, stream } = await open();
    await client.saw(': open');
    client.socket.destroy();
    await until(() => stream.signal.aborted);
    stream.send({ event: 'x', id: '1', data: 1 });
    stream.end();
    await stream.drained();
    expect(registry.size).toBe(0);
  });

  it('ends all streams at once and aborts their signals', async () => {
    const clients = Array.from({ length: 50 }, () => openClient(server.port));
    await until(() => streams.length === 50);
    registry.closeAll();
    expect(streams.every((stream) => stream.signal.aborted)).toBe(true);
    await Promise.all(clients.map((client) => client.closed));
    await until(() => registry.size === 0);
  });
});

describe('heartbeat', () => {
  it('is a comment every 15 s, sent by one timer for all streams', async () => {
    fakeClock();
    const set = vi.spyOn(globalThis, 'setInterval');
    const clients = Array.from({ length: 20 }, () => openClient(server.port));
    await until(() => streams.length === 20);
    expect(set).toHaveBeenCalledTimes(1);
    const beats = () => clients.map((client) => client.text().split(': hb\n\n').length - 1);
    vi.advanceTimersByTime(14_000);
    await Promise.all(clients.map((client) => client.saw(': open')));
    expect(beats()).toEqual(Array(20).fill(0));
    vi.advanceTimersByTime(2_000);
    await Promise.all(clients.map((client) => client.saw(': hb')));
    vi.advanceTimersByTime(30_000);
    await until(() => beats().every((count) => count === 3));
    set.mockRestore();
  });

  it('stops its timer with the last stream', async () => {
    fakeClock();
    const { stream } = await open();
    expect(vi.getTimerCount()).toBe(1);
    stream.end();
    await until(() => registry.size === 0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a slow reader', () => {
  it('loses droppable events above 256 kB of backlog and keeps the others', async () => {
    const { client, stream } = await open({ paused: true });
    const sent = await clog(stream);
    for (let n = 0; n < 50; n++) stream.send({ ...big('progress', `dropped:${n}`), droppable: true });
    stream.send({ event: 'complete', id: 'last', data: 1 });
    stream.end();
    let text = '';
    client.socket.on('data', (data) => {
      text += data;
    });
    client.socket.resume();
    await client.closed;
    expect(text).not.toContain('dropped:');
    expect(text).toContain('id: last');
    for (let n = 0; n < sent; n++) expect(text).toContain(`id: k:${n}\n`);
  });

  it('is disconnected above 1 MB of backlog', async () => {
    const { client, stream } = await open({ paused: true });
    let bytes = 0;
    while (!stream.signal.aborted && bytes < 100 * CUT_ABOVE_BYTES) {
      stream.send(big('kept', 'x'));
      bytes += 64 * 1024;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(stream.signal.aborted).toBe(true);
    expect(registry.size).toBe(0);
    client.socket.resume();
    await client.closed;
  });

  it('is not disconnected for one event of more than 1 MB if it keeps up', async () => {
    const { client, stream } = await open();
    stream.send({ event: 'complete', id: '1', data: 'x'.repeat(5 * CUT_ABOVE_BYTES) });
    stream.end();
    await client.closed;
    expect(client.text().endsWith('\r\n0\r\n\r\n')).toBe(true);
  });

  it.each([false, true])('is disconnected after 30 s without drain (ended: %s)', async (ended) => {
    fakeClock();
    const { stream } = await open({ paused: true });
    await clog(stream);
    if (ended) stream.end();
    await vi.advanceTimersByTimeAsync(CUT_AFTER_MS - 2_000);
    expect(registry.size).toBe(1);
    await vi.advanceTimersByTimeAsync(3_000);
    await until(() => registry.size === 0);
  });

  it('is not disconnected while it reads a long last event, however long that takes', async () => {
    fakeClock();
    const { client, stream } = await open({ paused: true });
    let bytes = 0;
    let text = '';
    client.socket.on('data', (data) => {
      bytes += data.length;
      text = (text + data).slice(-20);
    });
    client.socket.pause();
    const size = 32 * CUT_ABOVE_BYTES;
    stream.send({ event: 'complete', id: '1', data: 'x'.repeat(size) });
    stream.end();
    // More than the kernel's buffers hold, so that the service has to send in between.
    for (let read = size / 8; read < size; read += size / 8) {
      await vi.advanceTimersByTimeAsync(CUT_AFTER_MS - 5_000);
      client.socket.resume();
      await until(() => bytes >= read || client.socket.destroyed);
      client.socket.pause();
    }
    client.socket.resume();
    await client.closed;
    expect([bytes > size, text.endsWith('\r\n0\r\n\r\n')]).toEqual([true, true]);
  });

  it('resolves drained() when the backlog is empty', async () => {
    const { client, stream } = await open({ paused: true });
    await stream.drained();
    await clog(stream);
    let drained = false;
    const done = stream.drained().then(() => {
      drained = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(drained).toBe(false);
    client.socket.resume();
    await done;
    expect(stream.congested).toBe(false);
    stream.send({ ...big('progress', 'again'), droppable: true });
    stream.end();
    await client.closed;
    expect(DROP_ABOVE_BYTES).toBeLessThan(CUT_ABOVE_BYTES);
  });
});

it('sends everything to a client that reads one byte at a time', async () => {
  const { client, stream } = await open({ paused: true });
  for (let n = 0; n < 20; n++) stream.send({ event: 'progress', id: `j:${n}`, data: { n }, droppable: true });
  stream.end();
  let text = '';
  while (!text.endsWith('\r\n0\r\n\r\n')) {
    const byte: string | null = client.socket.read(1);
    if (byte === null) await new Promise((resolve) => client.socket.once('readable', resolve));
    else text += byte;
  }
  expect(payload(text).match(/^id: /gm)).toHaveLength(20);
  client.socket.destroy();
});
