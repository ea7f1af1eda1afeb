import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type Koa from 'koa';
import { answerClientError } from './answer-client-error.ts';
import type { HttpConfig } from './config.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 5_000;
const IDLE_SWEEP_MS = 200;
const CLOSE_GRACE_MS = 5_000;
/** How long a client may leave an answer unread, that is without a byte going out, before its connection is cut. */
const STALL_MS = 30_000;

/** For tests. */
interface TimeLimits {
  closeGraceMs?: number;
  stallMs?: number;
}

/** A listening server. */
export interface HttpServer {
  /** Base URL, e.g. `http://127.0.0.1:8080`. */
  url: string;
  /** Stops accepting connections; resolves when the last one is closed. What is still open after a grace period is cut. */
  close(): Promise<void>;
}

/** Listens with time limits that leave a slow client no way to hold on to a connection. */
export async function listen(
  app: Koa,
  config: Pick<HttpConfig, 'PORT' | 'HOST' | 'REQUEST_TIMEOUT_SECONDS'>,
  { closeGraceMs = CLOSE_GRACE_MS, stallMs = STALL_MS }: TimeLimits = {},
): Promise<HttpServer> {
  const server = createServer(
    {
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, config.REQUEST_TIMEOUT_SECONDS * 1000),
      requestTimeout: config.REQUEST_TIMEOUT_SECONDS * 1000,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 16_384,
    },
    app.callback(),
  );
  server.maxConnections = 4096;
  server.on('clientError', answerClientError);
  cutStalledReaders(server, stallMs);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.PORT, config.HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return { url: urlOf(server), close: () => close(server, closeGraceMs) };
}

/** Cuts whoever leaves an answer unread, whatever it is made of. To think before the answer is nobody's fault. */
function cutStalledReaders(server: Server, stallMs: number): void {
  server.timeout = stallMs;
  server.on('request', (_request, response: ServerResponse) => {
    // Without a listener Node would also cut those whose answer is not there yet. Each byte that moves starts it anew.
    response.on('timeout', (socket: Socket) => {
      if (response.headersSent) socket.destroy();
    });
  });
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('expected a TCP address');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

async function close(server: Server, graceMs: number): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  // A client that has stopped reading would keep its connection, and with it the whole process, for ever.
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  try {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
    });
  } finally {
    clearInterval(sweep);
    clearTimeout(cut);
  }
}
