import type { ServerResponse } from 'node:http';
import { type EventStream, type ManagedStream, openStream, type StreamOptions } from './event-stream.ts';

const HEARTBEAT_MS = 15_000;
const TICK_MS = 1_000;

/** All open streams of one server; they share one heartbeat timer, and a shutdown ends them. */
export interface StreamRegistry {
  /** Answers with an event stream that stays registered until its connection is gone. */
  open(res: ServerResponse, options: Pick<StreamOptions, 'retryMs' | 'headers'>): EventStream;
  /** Ends every open stream and aborts its `signal`; streams opened later are not affected. */
  closeAll(): void;
  /** Streams whose connection is not gone yet. */
  readonly size: number;
}

/**
 * Makes a registry. Its timer runs only while a stream is open and keeps no process alive.
 * @param options.heartbeatMs distance between two heartbeats of a stream, in milliseconds. @default 15000
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
