import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { PATIENCE_MS } from '../support/patience.ts';
import { serveLocally } from '../support/serve-locally.ts';

/** A real HTTP server that passes every request to `handler`. */
export async function startServer(
  handler: (res: ServerResponse) => void,
): Promise<{ port: number; server: Server; close(): Promise<void> }> {
  const server = createServer((_, res) => handler(res));
  const { port, close } = await serveLocally(server);
  return { port, server, close };
}

/** A client on a raw socket that reads only on request. */
export interface RawClient {
  socket: Socket;
  /** Text read so far, including headers and chunk sizes. */
  text(): string;
  /** Resolves when the text contains `wanted`. */
  saw(wanted: string): Promise<void>;
  closed: Promise<void>;
}

export function openClient(port: number, { path = '/', paused = false } = {}): RawClient {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  if (paused) socket.pause();
  else {
    socket.on('data', (data) => {
      text += data;
    });
  }
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return {
    socket,
    closed,
    text: () => text,
    async saw(wanted) {
      const deadline = process.hrtime.bigint() + 20_000_000_000n;
      while (!text.includes(wanted)) {
        if (process.hrtime.bigint() > deadline)
          throw new Error(`Never saw ${JSON.stringify(wanted)} in ${JSON.stringify(text)}`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

/** Returns the decoded payload of a chunked response. */
export function payload(text: string): string {
  return text.slice(text.indexOf('\r\n\r\n') + 4).replace(/(^|\r\n)[0-9a-f]+\r\n/g, '');
}

/** Waits until `condition` holds; fails after `timeoutMs`. */
export async function until(condition: () => boolean, timeoutMs = PATIENCE_MS): Promise<void> {
  // Not setTimeout and not Date: some of these tests fake the clock.
  const deadline = process.hrtime.bigint() + BigInt(timeoutMs) * 1_000_000n;
  while (!condition()) {
    if (process.hrtime.bigint() > deadline) throw new Error('The condition did not come true in time');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
