// Owns server-sent events: framing, heartbeats, slow readers, disconnected clients. Must not know the meaning of events.
export type { EventStream, StreamEvent } from './event-stream.ts';
export { createStreamRegistry, type StreamRegistry } from './event-stream.ts';
