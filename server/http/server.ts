import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type Koa from 'koa';
import { localUrl } from '../gateway/index.ts';
import { respondToClientError } from './client-error.ts';
import type { HttpConfig } from './config.ts';
import { closeRefused, limitConnections } from './connections.ts';
import { cutSlowReaders, type ReadingPace } from './downloads/slow-readers.ts';
import { cutSlowSenders, type SendingLimits } from './slow-senders.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const IDLE_SWEEP_MS = 200;
const CLOSE_GRACE_MS = 5_000;

/** Time limits that tests shorten. */
interface TimeLimits {
  closeGraceMs?: number;
  pace?: Partial<ReadingPace>;
}

/** A listening server. */
export interface HttpServer {
  /** Base URL, e.g. `http://127.0.0.1:8080`. */
  url: string;
  /** Stops accepting connections and resolves when the last one is closed. Closes the remaining ones after a grace period. */
  close(): Promise<void>;
}

/** Listens with time limits, so that slow clients cannot keep connections open. */
export async function listen(
  app: Koa,
  config: Pick<
    HttpConfig,
    'PORT' | 'HOST' | 'REQUEST_TIMEOUT_SECONDS' | 'KEEP_ALIVE_SECONDS' | 'CONNECTIONS_PER_ADDRESS' | 'TRUST_PROXY'
  > &
    SendingLimits,
  { closeGraceMs = CLOSE_GRACE_MS, pace }: TimeLimits = {},
): Promise<HttpServer> {
  const respond = app.callback();
  // Koa turns each error of a request into its response.
  const handle: RequestListener = (request, response) => void respond(request, response);
  const server = createServer(
    {
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, config.REQUEST_TIMEOUT_SECONDS * 1000 || HEADERS_TIMEOUT_MS),
      // 0 sets no limit; `cutSlowSenders` limits silence and rate.
      requestTimeout: config.REQUEST_TIMEOUT_SECONDS * 1000,
      // Longer than the 60 s of usual proxies, so that they and not the service close a connection that both may use.
      keepAliveTimeout: config.KEEP_ALIVE_SECONDS * 1000,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 16_384,
      // The application responds with an error body; Node's own response has none.
      requireHostHeader: false,
    },
    handle,
  );
  // An unknown expectation may be ignored (RFC 9110, 10.1.1); Node would respond 417 without a body.
  server.on('checkExpectation', handle);
  limitConnections(server, config);
  closeRefused(server);
  server.on('clientError', (error, socket: Socket) => {
    const refusal = respondToClientError(error, socket);
    if (refusal) app.emit('refused', refusal);
  });
  cutSlowReaders(server, pace);
  cutSlowSenders(server, config);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.PORT, config.HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return { url: urlOf(server), close: () => close(server, closeGraceMs) };
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('expected a TCP address');
  return localUrl(address.address, address.port);
}

async function close(server: Server, graceMs: number): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  // A client that has stopped reading would keep its connection and the process open.
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
