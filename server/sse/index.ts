// Owns server-sent events: framing, heartbeats, slow readers, clients that leave. Must not know what the events mean.
export type { EventStream } from './event-stream.ts';
export type { StreamEvent } from './frame.ts';
export { createStreamRegistry, type StreamRegistry } from './stream-registry.ts';
