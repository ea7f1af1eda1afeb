import type { Context } from 'koa';
import { STREAM_RETRY_MS } from '#contract';
import type { EventStream, StreamEvent, StreamRegistry } from '../../sse/index.ts';

/** A source of events; as a function it gets a signal that aborts when the client has left or the server stops. */
export type EventSource = AsyncIterable<StreamEvent> | ((signal: AbortSignal) => AsyncIterable<StreamEvent>);

/** What {@link sendEvents} needs beside the events. */
export interface SendEventsOptions {
  /** Where the stream is registered while it is open. */
  registry: StreamRegistry;
  /** Further response headers, e.g. `X-Job-Id`. */
  headers: Record<string, string>;
  /** Hears what the source throws. The client is not told: to it the stream just ends, and it resumes. */
  onError(error: unknown): void;
}

const TERMINAL_EVENTS = new Set(['complete', 'error']);
const LONGEST_PAUSE_MS = 1_000;

/**
 * Answers a request with a stream of events and returns when it is over. Ends the response right after `complete` or
 * `error` but reads the source to its end; stops reading it (`return()`) when the client leaves.
 */
export async function sendEvents(ctx: Context, source: EventSource, options: SendEventsOptions): Promise<void> {
  const stream = options.registry.open(ctx.res, { retryMs: STREAM_RETRY_MS, headers: options.headers });
  // After open: if that throws, Koa still answers.
  ctx.respond = false;
  try {
    const events = typeof source === 'function' ? source(stream.signal) : source;
    await pipe(events[Symbol.asyncIterator](), stream, options.onError);
  } catch (error) {
    options.onError(error);
  } finally {
    stream.end();
  }
}

async function pipe(iterator: AsyncIterator<StreamEvent>, stream: EventStream, onError: (error: unknown) => void) {
  let exhausted = false;
  try {
    for (;;) {
      const step = await nextUnlessAborted(iterator, stream.signal);
      if (step === undefined) return;
      if (step.done) {
        exhausted = true;
        return;
      }
      stream.send({ ...step.value, droppable: step.value.event === 'progress' });
      if (TERMINAL_EVENTS.has(step.value.event)) stream.end();
      // A fast source (a replay) must not outrun a healthy reader, a stopped reader must not hold up the source.
      if (stream.congested) await pause(stream);
    }
  } finally {
    // Not awaited: a source in the middle of a long step finishes that first, and nobody waits for it here.
    if (!exhausted) iterator.return?.().catch(onError);
  }
}

/** The next step, or undefined once the signal aborts, even in the middle of a step. */
function nextUnlessAborted(iterator: AsyncIterator<StreamEvent>, signal: AbortSignal) {
  return new Promise<IteratorResult<StreamEvent> | undefined>((resolve, reject) => {
    if (signal.aborted) return resolve(undefined);
    const onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    iterator
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

async function pause(stream: EventStream): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const longest = new Promise((resolve) => {
    timer = setTimeout(resolve, LONGEST_PAUSE_MS);
  });
  await Promise.race([stream.drained(), longest]);
  clearTimeout(timer);
}
