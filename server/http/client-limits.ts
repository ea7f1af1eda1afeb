import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../errors.ts';
import type { HttpConfig } from './config.ts';

/** Most requests of one key that may be open at once. */
interface OpenLimit {
  key: string;
  most: number;
  /** Name of the open requests in the message to the caller, e.g. `uploads of one account`. */
  what: string;
}

/** Requests that are open on this server. */
export interface OpenRequests {
  /**
   * Counts a request until the returned function is called, once, towards all limits or none.
   * @throws AppError rate_limited if one of them is reached
   */
  enter(limits: readonly OpenLimit[]): () => void;
}

const RETRY_AFTER_SECONDS = 5;

/** Limits the requests of an account that are open at once, so that they do not take the room of others. */
export function createOpenRequests(): OpenRequests {
  const open = new Map<string, number>();
  return {
    enter(limits) {
      for (const { key, most, what } of limits) if ((open.get(key) ?? 0) >= most) throw tooMany(most, what);
      for (const { key } of limits) open.set(key, (open.get(key) ?? 0) + 1);
      return () => {
        for (const { key } of limits) {
          const left = (open.get(key) ?? 0) - 1;
          if (left > 0) open.set(key, left);
          else open.delete(key);
        }
      };
    },
  };
}

function tooMany(limit: number, what: string): AppError {
  return new AppError('rate_limited', `At most ${limit} ${what} may be open at once`, {
    details: { limit },
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}

/** Settings that limit how slowly a request may arrive. */
export type SendingLimits = Pick<
  HttpConfig,
  'REQUEST_SILENCE_SECONDS' | 'REQUEST_GRACE_SECONDS' | 'REQUEST_MIN_BYTES_PER_SECOND'
>;

/** A body that is arriving. Times are in milliseconds and count only while the service reads. */
interface ArrivingBody {
  req: IncomingMessage;
  res: ServerResponse;
  tooSlow: AbortController;
  bytesRead: number;
  silentMs: number;
  /** Time that is left at the lowest rate. Bytes restore it, up to the grace period. */
  creditMs: number;
  /** Time since the body was found to be too slow. */
  overdueMs: number;
}

const SWEEPS_PER_LIMIT = 20;
const LONGEST_SWEEP_MS = 500;
/** Time for the response to a slow body before its connection is closed. */
const RESPONSE_MS = 2000;

const signals = new WeakMap<IncomingMessage, AbortSignal>();

/** Returns the signal that aborts with `request_timeout` when the body of a request arrives too slowly. */
export function slowBodySignal(req: IncomingMessage): AbortSignal {
  return signals.get(req) ?? new AbortController().signal;
}

/**
 * Limits the silence and the rate of request bodies, not their duration. The reader of a slow body gets the error through
 * `slowBodySignal` and responds; the connection is closed 2 s later, or at once if the response had begun before. Time in
 * which the service itself does not read is not counted.
 */
export function cutSlowSenders(server: Server, limits: SendingLimits): void {
  const silenceMs = limits.REQUEST_SILENCE_SECONDS * 1000;
  const graceMs = limits.REQUEST_GRACE_SECONDS * 1000;
  const bytesPerMs = limits.REQUEST_MIN_BYTES_PER_SECOND / 1000;
  const bodies = new Set<ArrivingBody>();

  function watch(req: IncomingMessage, res: ServerResponse): void {
    if (!hasBody(req)) return;
    const tooSlow = new AbortController();
    signals.set(req, tooSlow.signal);
    const { bytesRead } = req.socket;
    bodies.add({ req, res, tooSlow, bytesRead, silentMs: 0, creditMs: graceMs, overdueMs: 0 });
  }
  onEachRequest(server, watch);

  /** Returns the reason to refuse a body after `elapsedMs` more milliseconds. */
  function measure(body: ArrivingBody, elapsedMs: number): string | undefined {
    const { socket } = body.req;
    const received = socket.bytesRead - body.bytesRead;
    body.bytesRead = socket.bytesRead;
    body.creditMs = Math.min(graceMs, body.creditMs + (received > 0 ? received / bytesPerMs : 0));
    body.silentMs = received > 0 ? 0 : body.silentMs;
    if (socket.isPaused()) return undefined;
    body.creditMs -= elapsedMs;
    body.silentMs += elapsedMs;
    if (body.silentMs > silenceMs) {
      return `No part of the request body arrived for ${limits.REQUEST_SILENCE_SECONDS} seconds`;
    }
    const { REQUEST_MIN_BYTES_PER_SECOND: rate, REQUEST_GRACE_SECONDS: grace } = limits;
    return body.creditMs < 0
      ? `The request body arrives too slowly: expected at least ${rate} bytes per second after the first ${grace} seconds`
      : undefined;
  }

  function checkRate(body: ArrivingBody, elapsedMs: number): void {
    const { req, res, tooSlow } = body;
    if (req.complete || req.socket.destroyed) return void bodies.delete(body);
    if (tooSlow.signal.aborted) {
      body.overdueMs += elapsedMs;
      if (body.overdueMs > RESPONSE_MS) req.socket.destroy();
      return;
    }
    const reason = measure(body, elapsedMs);
    if (reason === undefined) return;
    if (res.headersSent) return void req.socket.destroy();
    tooSlow.abort(new AppError('request_timeout', reason, { headers: { Connection: 'close' } }));
  }

  const sweepMs = Math.min(LONGEST_SWEEP_MS, Math.min(silenceMs, graceMs) / SWEEPS_PER_LIMIT);
  let checkedAt = performance.now();
  const sweep = setInterval(() => {
    const now = performance.now();
    // A pause of the process or the machine is not the client's silence.
    const elapsedMs = Math.min(now - checkedAt, 2 * sweepMs);
    checkedAt = now;
    for (const body of bodies) checkRate(body, elapsedMs);
  }, sweepMs).unref();
  server.once('close', () => clearInterval(sweep));
}

/** Events by which requests come: plain ones, those that wait for `100 Continue`, and those with an unknown expectation. */
const REQUEST_EVENTS = ['request', 'checkContinue', 'checkExpectation'] as const;

/** Calls a listener with each request, ahead of the application. */
export function onEachRequest(server: Server, listener: (req: IncomingMessage, res: ServerResponse) => void): void {
  for (const event of REQUEST_EVENTS) server.prependListener(event, listener);
}

/** Asks a client that waits for it (`Expect: 100-continue`) to send the body. Comes after the key and the length were checked. */
export function inviteBody(req: IncomingMessage, res: ServerResponse): void {
  if (/^100-continue$/i.test(req.headers.expect ?? '') && req.httpVersion === '1.1' && !res.headersSent)
    res.writeContinue();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Lowest rate at which a client must read a response. */
export interface ReadingPace {
  /** Longest time without a sent byte, in milliseconds. */
  stallMs: number;
  /** Time before `bytesPerSecond` applies to a response, in milliseconds. */
  graceMs: number;
  /** Lowest average rate after that time. */
  bytesPerSecond: number;
}

/**
 * Limits that a modem still meets. The system buffers up to 4 MB per connection and accepts more only when a third of that
 * is free, so a client that reads 8 kB/s may seem idle for minutes and then read a megabyte at once.
 */
const PACE: ReadingPace = { stallMs: 180_000, graceMs: 60_000, bytesPerSecond: 8_000 };

/** A response that is being prepared or sent. */
interface PendingResponse {
  response: ServerResponse;
  /** Bytes sent on the connection when the request arrived. */
  bytesBefore: number;
  /** Monotonic time at which sending was first observed, in ms. */
  startedAt?: number;
}

/**
 * Closes connections whose client does not read a response, or reads it too slowly. The time before a response starts does
 * not count. Event streams are exempt, since they have limits of their own.
 */
export function cutSlowReaders(server: Server, pace: Partial<ReadingPace> = {}): void {
  const { stallMs, graceMs, bytesPerSecond } = { ...PACE, ...pace };
  const connections = new Map<Socket, PendingResponse[]>();
  server.timeout = stallMs;
  server.on('connection', (socket: Socket) => {
    connections.set(socket, []);
    socket.once('close', () => connections.delete(socket));
  });
  onEachRequest(server, ({ socket }, response) => {
    const pending = { response, bytesBefore: socket.bytesWritten };
    const queue = connections.get(socket) ?? [];
    queue.push(pending);
    response.once('close', () => queue.splice(queue.indexOf(pending), 1));
    // Without a listener Node would also close connections whose response has not started. Every transferred byte restarts it.
    response.on('timeout', () => {
      if (response.headersSent) socket.destroy();
    });
  });

  /** Returns true if a response takes longer than its sent bytes allow. */
  function isTooSlow(socket: Socket, pending: PendingResponse): boolean {
    const { response, bytesBefore } = pending;
    if (!response.headersSent || isEventStream(response)) return false;
    pending.startedAt ??= performance.now();
    if (socket.writableLength === 0) return false;
    const allowedMs = graceMs + ((socket.bytesWritten - bytesBefore) / bytesPerSecond) * 1000;
    return performance.now() - pending.startedAt > allowedMs;
  }

  const sweep = setInterval(
    () => {
      // Responses behind the first one are not being sent yet.
      for (const [socket, [first]] of connections) if (first && isTooSlow(socket, first)) socket.destroy();
    },
    Math.min(1000, graceMs / 4),
  ).unref();
  server.once('close', () => clearInterval(sweep));
}

function isEventStream(response: ServerResponse): boolean {
  return String(response.getHeader('Content-Type')).startsWith('text/event-stream');
}

const LONGEST_DRAIN_MS = 30_000;

/**
 * Reads and discards the rest of a request body, so that a client that is still sending can read the response. Closes the
 * connection after `maxBytes` more bytes or 30 s.
 */
export function drainRequest(req: IncomingMessage, maxBytes: number): void {
  if (req.readableEnded || req.destroyed) return;
  let left = maxBytes;
  const cut = () => req.destroy();
  const timer = setTimeout(cut, LONGEST_DRAIN_MS);
  timer.unref();
  req.on('error', () => {});
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  req.once('end', () => clearTimeout(timer));
  req.once('close', () => clearTimeout(timer));
  req.resume();
}
