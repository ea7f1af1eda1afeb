import type { ServerResponse } from 'node:http';
import { type EventStream, type ManagedStream, openStream, type StreamOptions } from './event-stream.ts';

const HEARTBEAT_MS = 15_000;
const TICK_MS = 1_000;

/** The open streams of one server. They share a heartbeat timer; a shutdown ends them. */
export interface StreamRegistry {
  /** Responds with an event stream that stays registered until its connection is closed. */
  open(res: ServerResponse, options: Pick<StreamOptions, 'retryMs' | 'headers'>): EventStream;
  /** Ends every open stream and aborts its `signal`; streams opened later are not affected. */
  closeAll(): void;
  /** Number of streams whose connection is not closed. */
  readonly size: number;
}

/**
 * Creates a registry. Its timer runs only while a stream is open and does not keep the process alive.
 * @param options.heartbeatMs interval of a stream's heartbeats, in milliseconds. @default 15000
 */
export function createStreamRegistry({ heartbeatMs = HEARTBEAT_MS } = {}): StreamRegistry {
  const streams = new Set<ManagedStream>();
  let timer: NodeJS.Timeout | undefined;

  const beat = () => {
    const now = performance.now();
    for (const stream of streams) stream.tick(now);
  };
  const remove = (stream: ManagedStream) => {
    streams.delete(stream);
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    open(res, options) {
      const stream = openStream(res, { ...options, heartbeatMs });
      if (stream.signal.aborted) return stream;
      streams.add(stream);
      res.once('close', () => remove(stream));
      timer ??= setInterval(beat, Math.min(TICK_MS, heartbeatMs)).unref();
      return stream;
    },
    closeAll() {
      for (const stream of streams) stream.close();
    },
    get size() {
      return streams.size;
    },
  };
}
