import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Koa from 'koa';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sendFile } from '../../server/http/send-file.ts';
import { listen } from '../../server/http/server.ts';

const SIZE = 27_000_000;

let directory: string;
let file: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-stalled-'));
  file = join(directory, 'large.bin');
  await writeFile(file, Buffer.alloc(SIZE));
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => rm(directory, { recursive: true }));

function download(stallMs?: number): Koa {
  const app = new Koa();
  app.silent = true;
  const offered = { file, size: SIZE, filename: 'large.bin', mimeType: 'application/octet-stream', etag: 'e' };
  app.use((ctx) => sendFile(ctx, offered, { stallMs }));
  return app;
}

/** Asks for the file, reads the beginning of the answer, and then nothing more. */
async function startAndStall(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'data');
  socket.pause();
  return socket;
}

it('a client that has stopped reading does not hold up the stop beyond the grace period', async () => {
  const config = { PORT: 0, HOST: '127.0.0.1', REQUEST_TIMEOUT_SECONDS: 120 };
  const server = await listen(download(), config, { closeGraceMs: 500 });
  await startAndStall(Number(new URL(server.url).port));
  const started = performance.now();
  await server.close();
  const took = performance.now() - started;
  expect(took).toBeGreaterThan(400);
  expect(took).toBeLessThan(20_000);
});

it('a client that has stopped reading loses its connection, one that reads slowly does not', async () => {
  const server = download(500).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

  await startAndStall(port);
  const deadline = Date.now() + 20_000;
  while ((await connections()) > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await connections()).toBe(0);

  const slow = await startAndStall(port);
  let received = 0;
  slow.on('data', (chunk: Buffer) => {
    received += chunk.length;
    slow.pause();
    setTimeout(() => slow.resume(), 3);
  });
  slow.resume();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const halfWay = received;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(slow.destroyed).toBe(false);
  expect(received > halfWay || received >= SIZE - 200_000).toBe(true);
  slow.destroy();
  await new Promise((resolve) => server.close(resolve));
});
