import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { closed } from '../support/raw-request.ts';
import { startTestService, type TestService } from '../support/service.ts';

const MOST = 20;

let test: TestService;
const sockets: Socket[] = [];
beforeAll(async () => {
  test = await startTestService({ CONNECTIONS_PER_ADDRESS: String(MOST) });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await sleep(100);
});
afterAll(() => test.close());

/** Opens a connection from an address of this machine. */
async function open(localAddress = '127.0.0.1', { url } = test): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
  sockets.push(socket);
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return { socket, received: () => received };
}

/** Sends a request for `/healthz` and returns the status; 0 if the connection was closed without a response. */
async function statusFrom(localAddress?: string, service = test): Promise<number> {
  const { socket, received } = await open(localAddress, service);
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await closed(socket);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(received())?.[1] ?? 0);
}

describe('connections of one address', () => {
  it('above the limit are closed at once; other addresses are served, and so is this one after it has closed some', async () => {
    const held: Socket[] = [];
    for (let index = 0; index < MOST; index += 1) held.push((await open('127.0.0.2')).socket);
    expect(await statusFrom('127.0.0.2')).toBe(0);
    expect(await statusFrom('127.0.0.3')).toBe(200);
    held[0]?.destroy();
    await expect.poll(() => statusFrom('127.0.0.2')).toBe(200);
  });

  it('are not limited behind a proxy, whose connections are those of everybody', async () => {
    const behind = await startTestService({ CONNECTIONS_PER_ADDRESS: '1', TRUST_PROXY: '1' });
    try {
      for (let index = 0; index < 5; index += 1) await open('127.0.0.1', behind);
      expect(await statusFrom('127.0.0.1', behind)).toBe(200);
    } finally {
      for (const socket of sockets.splice(0)) socket.destroy();
      await behind.close();
    }
  });
});

describe('a request that is refused before its body', () => {
  const refused = [
    ['with a wrong key', 'POST /v1/sessions', 'X-API-Key: wrong', 401],
    ['to an unknown path', 'POST /v1/nothing', 'X-API-Key: wrong', 404],
    ['with too long a body', 'POST /v1/credits/check', '', 413],
  ] as const;

  it.each(refused)('%s loses its connection within two seconds of the response', async (_, line, header, status) => {
    const { socket, received } = await open();
    const key = header || `X-API-Key: ${test.api.apiKey}`;
    const type = 'Content-Type: application/json';
    socket.write(`${line} HTTP/1.1\r\nHost: localhost\r\n${key}\r\n${type}\r\nContent-Length: 90000000\r\n\r\n`);
    await expect.poll(received).toContain(`HTTP/1.1 ${status}`);
    const answeredAt = performance.now();
    const trickle = setInterval(() => socket.write('x'), 100);
    await closed(socket);
    clearInterval(trickle);
    expect(performance.now() - answeredAt).toBeLessThan(20_000);
  });

  it('keeps its connection if the body ends in time', async () => {
    const { socket, received } = await open();
    const head = 'Host: localhost\r\nX-API-Key: wrong\r\nContent-Length: 4';
    socket.write(`POST /v1/credits/check HTTP/1.1\r\n${head}\r\n\r\n`);
    await expect.poll(received).toContain('HTTP/1.1 401');
    socket.write('null');
    await sleep(2500);
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(received).toContain('HTTP/1.1 200');
  });
});
