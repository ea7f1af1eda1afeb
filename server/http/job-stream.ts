import type { Context } from 'koa';
import { STREAM_RETRY_MS } from '#contract';
import { withAbort } from '../concurrency.ts';
import { AppError } from '../errors.ts';
import type { Caller } from '../gateway/index.ts';
import type { JobRecord } from '../jobs/index.ts';
import { type EventStream, STREAM_HEADERS, type StreamEvent, type StreamRegistry } from '../sse/index.ts';
import type { Services } from './handlers.ts';

/** Streams that one session token may have open at once: visitors of a page leave room for the account. */
const STREAMS_PER_TOKEN = 16;

/**
 * Counts a stream of an account on this server until its connection is closed, or its response has ended. Must come before any
 * work or charge.
 * @throws AppError rate_limited
 */
export function enterStream(ctx: Context, account: Caller, services: Services): void {
  const { id, plan, token } = account;
  const most = services.accounts.plans.get(plan).streams;
  const limits = [{ key: id, most, what: 'streams of one account' }];
  if (token)
    limits.push({ key: token.id, most: Math.min(most, STREAMS_PER_TOKEN), what: 'streams of one session token' });
  try {
    const leave = services.openStreams.enter(limits);
    if (ctx.res.closed) leave();
    else ctx.res.once('close', leave);
  } catch (error) {
    if (error instanceof AppError) services.metrics.streamRefused();
    throw error;
  }
}

/**
 * Streams the events of a job that was started before, as {@link sendJobEvents}.
 * @throws AppError storage_unavailable if it has not ended and cannot go on at the moment: its stream would be silent
 */
export async function rejoinJobEvents(
  input: { ctx: Context; account: Caller },
  job: JobRecord,
  after: number,
  services: Services,
): Promise<void> {
  if (job.lastEvent === null) await requireWritable(services);
  await sendJobEvents(input, job, after, services);
}

/** Streams the events of a job whose number is above `after`. */
export async function sendJobEvents(
  { ctx, account }: { ctx: Context; account: Caller },
  job: JobRecord,
  after: number,
  services: Services,
): Promise<void> {
  const events = async function* (signal: AbortSignal) {
    for await (const { n, event, data } of services.jobs.follow(job, after, signal)) {
      yield { id: `${job._id}:${n}`, event, data: await services.gateway.billing.seenBy(account, data) };
    }
  };
  await sendEvents(ctx, events, {
    registry: services.streams,
    headers: { 'X-Job-Id': job._id },
    onError: (error) => services.logger.error({ err: error, jobId: job._id }, 'a stream ended early'),
  });
}

/** Responds to HEAD with what a stream of the job begins with; a stream has no length (RFC 9110, 8.6). */
export function sendStreamHead(ctx: Context, jobId: string): void {
  ctx.respond = false;
  ctx.res.writeHead(200, { ...STREAM_HEADERS, 'X-Job-Id': jobId });
  ctx.res.end();
}

async function requireWritable({ writeProbe }: Services): Promise<void> {
  const { fault } = await writeProbe.check();
  if (fault === null) return;
  throw new AppError('storage_unavailable', `No job can go on at the moment: ${fault}`, {
    headers: { 'Retry-After': '10' },
  });
}

/** Content of `Last-Event-ID: <jobId>:<n>`. */
export interface LastEvent {
  jobId: string;
  number: number;
}

/** Reads `Last-Event-ID`; null if it is missing, or no id of this service. */
export function lastEvent(ctx: Context): LastEvent | null {
  const [, jobId, number] = /^(job_[0-9A-Za-z]{22}):(\d{1,15})$/.exec(ctx.get('Last-Event-ID')) ?? [];
  return jobId ? { jobId, number: Number(number) } : null;
}

/** Returns the number in `Last-Event-ID`; -1 if it is missing or belongs to another job. */
export function lastEventNumber(ctx: Context, jobId: string): number {
  const last = lastEvent(ctx);
  return last?.jobId === jobId ? last.number : -1;
}

/** Source of events; a function receives a signal that aborts when the client disconnects or the server stops. */
export type EventSource = AsyncIterable<StreamEvent> | ((signal: AbortSignal) => AsyncIterable<StreamEvent>);

interface SendEventsOptions {
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
