import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
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
