import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Lower bounds of the pace at which a client reads a response. */
export interface ReadingPace {
  /** Longest time without a sent byte, in milliseconds. */
  stallMs: number;
  /** Time before `bytesPerSecond` applies to a response, in milliseconds. */
  graceMs: number;
  /** Lowest average rate after that time. */
  bytesPerSecond: number;
}

/**
 * Whoever reads at the pace of a modem is let be. Behind a fast network the system buffers 4 MB for a connection and
 * takes more only when a third of that is free: there 8 kB/s look like nothing for minutes, and then like a megabyte.
 */
const PACE: ReadingPace = { stallMs: 180_000, graceMs: 60_000, bytesPerSecond: 8_000 };

/** An answer that is being made or goes out. */
interface Answer {
  response: ServerResponse;
  /** Bytes sent on the connection when the request arrived. */
  bytesBefore: number;
  /** When it was first seen to go out. */
  begunAt?: number;
}

/**
 * Cuts whoever leaves an answer unread or takes it in crumbs, whatever it is made of. To think before the answer is
 * nobody's fault, and streams of events watch their readers themselves.
 */
export function cutSlowReaders(server: Server, pace: Partial<ReadingPace> = {}): void {
  const { stallMs, graceMs, bytesPerSecond } = { ...PACE, ...pace };
  const connections = new Map<Socket, Answer[]>();
  server.timeout = stallMs;
  server.on('connection', (socket: Socket) => {
    connections.set(socket, []);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const answer = { response, bytesBefore: socket.bytesWritten };
    const answers = connections.get(socket) ?? [];
    answers.push(answer);
    response.once('close', () => answers.splice(answers.indexOf(answer), 1));
    // Without a listener Node would also cut those whose answer is not there yet. Each byte that moves starts it anew.
    response.on('timeout', () => {
      if (response.headersSent) socket.destroy();
    });
  });

  /** Returns true when a response waits for its reader longer than its sent bytes allow. */
  function isTooSlow(socket: Socket, answer: Answer): boolean {
    const { response, bytesBefore } = answer;
    if (!response.headersSent || isEventStream(response)) return false;
    answer.begunAt ??= performance.now();
    if (socket.writableLength === 0) return false;
    const allowedMs = graceMs + ((socket.bytesWritten - bytesBefore) / bytesPerSecond) * 1000;
    return performance.now() - answer.begunAt > allowedMs;
  }

  const sweep = setInterval(
    () => {
      // Answers behind the first one wait their turn.
      for (const [socket, [first]] of connections) if (first && isTooSlow(socket, first)) socket.destroy();
    },
    Math.min(1000, graceMs / 4),
  ).unref();
  server.once('close', () => clearInterval(sweep));
}

function isEventStream(response: ServerResponse): boolean {
  return String(response.getHeader('Content-Type')).startsWith('text/event-stream');
}
