import type { Context } from 'koa';
import { STREAM_RETRY_MS } from '#contract';
import { withAbort } from '../../concurrency.ts';
import type { EventStream, StreamEvent, StreamRegistry } from '../../sse/index.ts';

/** Source of events; a function receives a signal that aborts when the client disconnects or the server stops. */
export type EventSource = AsyncIterable<StreamEvent> | ((signal: AbortSignal) => AsyncIterable<StreamEvent>);

/** Options of {@link sendEvents}. */
export interface SendEventsOptions {
  /** Registry of the open streams. */
  registry: StreamRegistry;
  /** Further response headers, e.g. `X-Job-Id`. */
  headers: Record<string, string>;
  /** Called with an error of the source. The client only sees the end of the stream, and resumes. */
  onError(error: unknown): void;
}

const TERMINAL_EVENTS = new Set(['complete', 'error']);
const LONGEST_PAUSE_MS = 1_000;

/**
 * Responds with a stream of events and returns at its end. Ends the response after `complete` or `error` and reads the
 * source to its end; stops reading it (`return()`) when the client disconnects.
 */
export async function sendEvents(ctx: Context, source: EventSource, options: SendEventsOptions): Promise<void> {
  const stream = options.registry.open(ctx.res, { retryMs: STREAM_RETRY_MS, headers: options.headers });
  // After open: if that throws, Koa still responds.
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
      // Slows a fast source (a replay) down to its reader, but a stopped reader must not block the source.
      if (stream.congested) await pause(stream);
    }
  } finally {
    // Not awaited: a source finishes its current step first, which may take long.
    if (!exhausted) iterator.return?.().catch(onError);
  }
}

/** Returns the next step, or undefined when the signal aborts before or during the step. */
async function nextUnlessAborted(
  iterator: AsyncIterator<StreamEvent>,
  signal: AbortSignal,
): Promise<IteratorResult<StreamEvent> | undefined> {
  if (signal.aborted) return undefined;
  try {
    return await withAbort(iterator.next(), signal);
  } catch (error) {
    if (signal.aborted && error === signal.reason) return undefined;
    throw error;
  }
}

async function pause(stream: EventStream): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const longest = new Promise((resolve) => {
    timer = setTimeout(resolve, LONGEST_PAUSE_MS);
  });
  await Promise.race([stream.drained(), longest]);
  clearTimeout(timer);
}
