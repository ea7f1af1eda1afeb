import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type Koa from 'koa';
import { ERROR_CATALOGUE, type ErrorCode } from '#contract';
import { localUrl } from '../gateway/index.ts';
import { newRequestId } from '../observability/index.ts';
import {
  cutSlowReaders,
  cutSlowSenders,
  onEachRequest,
  type ReadingPace,
  type SendingLimits,
} from './client-limits.ts';
import type { HttpConfig } from './config.ts';
import { NOSNIFF, NOT_STORED } from './middleware.ts';

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
  /** Hands requests from now on to another application. */
  serve(app: Koa): void;
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
  let served = app;
  let respond = app.callback();
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
  // Node would ask for every body; `inviteBody` asks for those that are read.
  server.on('checkContinue', handle);
  limitConnections(server, config);
  closeRefused(server);
  server.on('clientError', (error, socket: Socket) => {
    const refusal = respondToClientError(error, socket);
    if (refusal) served.emit('refused', refusal);
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
  return {
    url: urlOf(server),
    serve(next) {
      served = next;
      respond = next.callback();
    },
    close: () => close(server, closeGraceMs),
  };
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

/** Most open connections of all clients. */
const MOST_CONNECTIONS = 4096;
/** Time for the rest of a body after its response. */
const LINGER_MS = 2000;
/** Longest time for the rest of a body that arrives fast, so that its sender can read the response. */
const LONGEST_LINGER_MS = 30_000;
/** Rate of a body that arrives fast, in bytes per linger time. */
const FAST_BYTES = 1_000_000;

/**
 * Limits the connections of all clients and, unless proxies stand in front, of each address; more are closed at once. Addresses
 * of one IPv6 /64 count as one.
 */
function limitConnections(
  server: Server,
  { CONNECTIONS_PER_ADDRESS, TRUST_PROXY }: Pick<HttpConfig, 'CONNECTIONS_PER_ADDRESS' | 'TRUST_PROXY'>,
): void {
  server.maxConnections = MOST_CONNECTIONS;
  // Behind proxies, all clients share the connections of the proxy.
  if (TRUST_PROXY > 0) return;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = networkOf(socket.remoteAddress ?? '');
    const count = (open.get(address) ?? 0) + 1;
    if (count > CONNECTIONS_PER_ADDRESS) return void socket.destroy();
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}

/** Returns the address that connections are counted by: an IPv4 address, or the /64 of an IPv6 address. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv6' ? (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':') : parsed.toString();
}

/**
 * Closes a connection 2 s after a response that did not wait for the request's body, so that a refused client cannot hold it. A
 * body that arrives fast may go on for 30 s.
 */
function closeRefused(server: Server): void {
  const watch = (req: IncomingMessage, res: ServerResponse) => {
    res.once('finish', () => {
      if (!req.complete) linger(req, 0);
    });
  };
  onEachRequest(server, watch);
}

function linger(req: IncomingMessage, lingeredMs: number): void {
  const { socket } = req;
  const { bytesRead } = socket;
  const closeOrWait = () => {
    if (req.complete || socket.destroyed) return;
    const isFast = socket.bytesRead - bytesRead >= FAST_BYTES && lingeredMs + LINGER_MS < LONGEST_LINGER_MS;
    if (isFast) linger(req, lingeredMs + LINGER_MS);
    else socket.destroy();
  };
  setTimeout(closeOrWait, LINGER_MS).unref();
}

/** Socket with Node's internal reference to the running response: the only way to tell if one has been started. */
type BusySocket = Socket & { _httpMessage?: ServerResponse | null };

const JSON_TYPE = 'application/json; charset=utf-8';

/** A response to something that was no complete request. */
export interface Refusal {
  requestId: string;
  status: number;
}

/**
 * Responds to requests that are malformed, too large or too slow with a regular error body, and closes the connection.
 * Returns the response if no request was running that logs it.
 */
function respondToClientError(error: NodeJS.ErrnoException, socket: BusySocket): Refusal | undefined {
  // The end of the connection within a body means that the client has left.
  const hasLeft = error.code === 'ECONNRESET' || (error.code === 'HPE_INVALID_EOF_STATE' && socket._httpMessage);
  if (hasLeft || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return undefined;
  }
  const { code, message } = explain(error);
  const { status } = ERROR_CATALOGUE[code];
  const response = socket._httpMessage;
  const requestId = String(response?.getHeader('X-Request-Id') ?? newRequestId());
  const body = JSON.stringify({ error: message, code, requestId });
  if (response) {
    // The log reads the status from the response.
    const headers = { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
    response.writeHead(status, { 'X-Request-Id': requestId, 'Cache-Control': NOT_STORED, ...NOSNIFF, ...headers });
    response.end(body, () => socket.destroy());
    return undefined;
  }
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${new Date().toUTCString()}`,
    `X-Request-Id: ${requestId}`,
    `Cache-Control: ${NOT_STORED}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  // After a half-close a client could keep the socket open.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  return { requestId, status };
}

function explain(error: NodeJS.ErrnoException): { code: ErrorCode; message: string } {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'headers_too_large', message: 'The request headers are larger than 16384 bytes' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'request_timeout', message: 'The request was not complete in time' };
    default:
      return { code: 'invalid_request', message: 'The request is not valid HTTP/1.1' };
  }
}
