import { once } from 'node:events';
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Koa, { type Context } from 'koa';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serveFiles } from '../../server/http/downloads/pages.ts';
import { sendFile } from '../../server/http/downloads/send-file.ts';
import { type HttpServer, listen } from '../../server/http/server.ts';
import { createFolderStore } from '../../server/storage/index.ts';

const SIZE = 27_000_000;
const OPEN = '/proc/self/fd';
const CONFIG = {
  PORT: 0,
  HOST: '127.0.0.1',
  KEEP_ALIVE_SECONDS: 75,
  REQUEST_TIMEOUT_SECONDS: 0,
  REQUEST_SILENCE_SECONDS: 30,
  REQUEST_GRACE_SECONDS: 60,
  REQUEST_MIN_BYTES_PER_SECOND: 8000,
  CONNECTIONS_PER_ADDRESS: 512,
  TRUST_PROXY: 0,
};
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

let directory: string;
let file: string;
let server: HttpServer | undefined;
const clients: Socket[] = [];
/** The server's sockets that have received a request. */
const asked = new Set<Socket>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-stalled-'));
  file = join(directory, 'large.bin');
  await writeFile(file, Buffer.alloc(SIZE));
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  asked.clear();
  await server?.close();
  server = undefined;
});
afterAll(() => rm(directory, { recursive: true }));

async function start(answer: (ctx: Context) => unknown, limits: Parameters<typeof listen>[2]): Promise<void> {
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx) => {
    asked.add(ctx.socket);
    await answer(ctx);
  });
  server = await listen(app, CONFIG, limits);
}

const download = (ctx: Context) => {
  const offered = { key: 'large.bin', size: SIZE, filename: 'large.bin', mimeType: 'application/octet-stream' };
  return sendFile(ctx, { ...offered, etag: 'e' }, createFolderStore({ directory }));
};

function open(request = GET): Socket {
  const socket = connect(Number(new URL(server?.url ?? '').port), '127.0.0.1');
  clients.push(socket);
  socket.on('error', () => {});
  socket.write(request);
  return socket;
}

/** Sends a request, reads the beginning of the response and then stops reading. A paused machine may be cut off before it has read. */
async function startAndStall(request?: string): Promise<Socket> {
  const socket = open(request);
  await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => {});
  socket.pause();
  return socket;
}

/** Reads a connection until `done` returns true for the text so far. */
async function read(socket: Socket, done: (text: string) => boolean): Promise<string> {
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (done(text)) return text;
  }
  return `${text}, and the end`;
}

/** Counts the open handles of the stored file in this process. */
async function timesOpen(): Promise<number> {
  const links = await Promise.all((await readdir(OPEN)).map((name) => readlink(join(OPEN, name)).catch(() => '')));
  return links.filter((target) => target === file).length;
}

const allCut = () => [...asked].every(({ destroyed }) => destroyed);

it('a client that has stopped reading does not delay the stop beyond the grace period', async () => {
  await start(download, { closeGraceMs: 500 });
  await startAndStall();
  const started = performance.now();
  await server?.close();
  const took = performance.now() - started;
  expect(took).toBeGreaterThan(400);
  expect(took).toBeLessThan(20_000);
});

const [page] = serveFiles([{ path: '/', type: 'image/png', read: async () => Buffer.alloc(SIZE) }], { sources: {} });
const json = JSON.stringify({ text: 'a'.repeat(SIZE) });
const ANSWERS: [string, (ctx: Context) => unknown][] = [
  ['a stored file', download],
  ['a built file', (ctx) => page?.handler(ctx as never, async () => {})],
  [
    'JSON',
    (ctx) => {
      ctx.type = 'json';
      ctx.body = json;
    },
  ],
];

describe('a client that does not read a response is disconnected', () => {
  it.each(ANSWERS)('%s', async (_, answer) => {
    await start(answer, { pace: { stallMs: 3000 } });
    // An unfinished second request on the connection does not count as activity.
    const requests = [GET, GET + GET, `${GET}GET / HTTP`];
    // One after the other: the client shares this process, and several large answers at once would stop both.
    for (const request of [...requests, ...requests]) await startAndStall(request);
    expect(asked.size).toBe(6);
    await expect.poll(allCut).toBe(true);
    await expect.poll(timesOpen).toBe(0);
  });
});

/** Reads a response with a pause after each piece; returns the number of bytes received. */
async function readWithPauses(pauseMs: number, request?: string): Promise<() => number> {
  const slow = await startAndStall(request);
  slow.on('data', () => {
    slow.pause();
    setTimeout(() => slow.resume(), pauseMs);
  });
  slow.resume();
  return () => slow.bytesRead;
}

/** Reads an answer below the least pace until the connection is cut; returns the bytes received meanwhile. */
async function readTooSlowly(answer: (ctx: Context) => unknown): Promise<number> {
  await start(answer, { pace: { graceMs: 500, bytesPerSecond: 40_000_000 } });
  const received = await readWithPauses(100);
  const begun = received();
  await expect.poll(allCut).toBe(true);
  expect(received()).toBeLessThan(SIZE);
  await expect.poll(timesOpen).toBe(0);
  asked.clear();
  await server?.close();
  return received() - begun;
}

describe('a client that reads a response too slowly is disconnected', () => {
  it.each(ANSWERS)('%s', async (_, answer) => {
    let bytes = await readTooSlowly(answer);
    // A paused machine makes a slow reader one that has stopped; such a run proves nothing and is repeated.
    for (let run = 2; bytes === 0 && run <= 10; run++) bytes = await readTooSlowly(answer);
    expect(bytes).toBeGreaterThan(0);
  });
});

/** Measures the longest time without a sent byte on the connections with a request. */
function watchSilence(): { longestMs(): number; end(): void } {
  const seen = new Map<Socket, { bytes: number; at: number }>();
  let longest = 0;
  const look = () => {
    for (const socket of asked) {
      const { bytes, at } = seen.get(socket) ?? { bytes: -1, at: performance.now() };
      longest = Math.max(longest, performance.now() - at);
      if (socket.bytesWritten !== bytes) seen.set(socket, { bytes: socket.bytesWritten, at: performance.now() });
    }
  };
  const timer = setInterval(look, 5);
  return {
    longestMs() {
      look();
      return longest;
    },
    end: () => clearInterval(timer),
  };
}

/** Reads a file in pieces, several times as long as the stall limit. */
async function readSlowly(stallMs: number): Promise<'read on' | 'cut' | 'stalled'> {
  await start(download, { pace: { stallMs, graceMs: 100, bytesPerSecond: 100_000 } });
  const silence = watchSilence();
  const started = performance.now();
  const received = await readWithPauses(8);
  try {
    // The whole file, since bytes received so far could have been in transit when the connection was closed.
    await expect.poll(() => received() >= SIZE || allCut()).toBe(true);
    if (received() >= SIZE) {
      expect(performance.now() - started).toBeGreaterThan(3 * stallMs);
      return 'read on';
    }
    return silence.longestMs() < 0.9 * stallMs ? 'cut' : 'stalled';
  } finally {
    silence.end();
    asked.clear();
    await server?.close();
  }
}

describe('these clients stay connected:', () => {
  it('slow but steady readers', async () => {
    let outcome = await readSlowly(500);
    // A paused machine turns a slow reader into a stalled one; such a run proves nothing and is repeated.
    for (let run = 2; outcome === 'stalled' && run <= 10; run++) outcome = await readSlowly(500);
    expect(outcome).toBe('read on');
  });

  it('readers of event streams, which have limits of their own', async () => {
    const stream = (ctx: Context) => {
      ctx.respond = false;
      ctx.res.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
      ctx.res.write(`data: ${'a'.repeat(SIZE)}\n\n`);
    };
    await start(stream, { pace: { graceMs: 100, bytesPerSecond: 1_000_000_000 } });
    await startAndStall();
    await sleep(1000);
    expect(asked.size).toBe(1);
    expect(allCut()).toBe(false);
  });

  it('clients whose response has not started, or is produced slowly', async () => {
    const slowly = async (ctx: Context) => {
      ctx.respond = false;
      await sleep(500);
      ctx.res.write('begin');
      await sleep(500);
      ctx.res.end('end');
    };
    await start(slowly, { pace: { graceMs: 100, bytesPerSecond: 1_000_000_000 } });
    expect(await read(open(), (text) => text.includes('end\r\n'))).toContain('begin');
  });

  it('clients that wait for a slow response, also behind another one', async () => {
    let requests = 0;
    await start(
      async (ctx) => {
        requests += 1;
        const mine = requests;
        if (mine > 1) await sleep(1000);
        ctx.body = `answer ${mine}`;
      },
      { pace: { stallMs: 200 } },
    );
    expect(await read(open(GET + GET), (text) => text.endsWith('answer 2'))).toMatch(/answer 1.*answer 2$/s);
    expect(await read(open(), (text) => text.endsWith('answer 3'))).toMatch(/answer 3$/);
  });

  it('slow senders', async () => {
    await start(
      async (ctx) => {
        let body = '';
        for await (const chunk of ctx.req) body += chunk;
        ctx.body = `received ${body}`;
      },
      { pace: { stallMs: 200 } },
    );
    const socket = open('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab');
    setTimeout(() => socket.write('cd'), 1000);
    expect(await read(socket, (text) => text.includes('received'))).toMatch(/received abcd$/);
  });
});
