// Owns server-sent events: framing, heartbeats, slow readers, disconnected clients. Must not know the meaning of events.
export {
  createStreamRegistry,
  type EventStream,
  STREAM_HEADERS,
  type StreamEvent,
  type StreamRegistry,
} from './event-stream.ts';
