import { ApiError, ConnectionError } from '../errors.ts';
import type { Call, Requester } from './request.ts';
import { badResponse, readNothing, type ServiceResponse } from './response.ts';
import type { ResultStream } from './result-stream.ts';
import { delayBeforeRetry, sleep } from './retry.ts';
import { createSseParser, type RawEvent } from './sse.ts';

/** Any event of a job. */
export interface AnyJobEvent {
  id: string;
  event: string;
  data: unknown;
}

/** Data of a job's `complete` event. */
export type CompleteDataOf<E> = E extends { event: 'complete'; data: infer D } ? D : never;

/**
 * A job's events as they arrive. Nothing is sent before the first use. A broken connection is opened again without a second
 * charge and without repeated events. Leaving the loop closes the connection and leaves the job running; another loop
 * continues after the last event. One reader at a time.
 */
export interface JobStream<E extends AnyJobEvent>
  extends AsyncIterable<E>,
    Pick<ResultStream<never>, 'jobId' | 'cancel'> {
  /** Key to store if the request may have to be repeated after a crash; `''` for a job that is only followed. */
  readonly idempotencyKey: string;
  /** Resolves with the job's id once the service has accepted the job. @throws ApiError, ConnectionError */
  jobId(): Promise<string>;
  /**
   * Reads to the end and returns the data of the `complete` event.
   * @throws ApiError with the data of the `error` event; ConnectionError
   */
  result(): Promise<CompleteDataOf<E>>;
  /** Cancels the job at the service; images not exported are refunded. Succeeds if the job has already ended. */
  cancel(): Promise<void>;
}

/** A job to start or to follow. @internal */
export interface StreamSource {
  /** Starts the job, and joins it if repeated. */
  start?: (Call & { idempotencyKey: string }) | undefined;
  /** True if the job stops without a listener and continues when it is requested again. */
  stopsWithoutListener?: boolean | undefined;
  jobId?: string | undefined;
  lastEventId?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Creates the stream of a job. @internal */
export function createJobStream<E extends AnyJobEvent>(requester: Requester, source: StreamSource): JobStream<E> {
  const state: StreamState<E> = { ...source, requester, seen: new Set() };
  return {
    idempotencyKey: source.start?.idempotencyKey ?? '',
    [Symbol.asyncIterator]: () => readEvents(state),
    jobId: () => readJobId(state),
    result: () => readResult(state),
    async cancel() {
      if (state.last) return;
      // A signal that has ended the stream has not ended the job: its id and its cancellation are asked for without it.
      const { start } = state;
      const free = { signal: undefined, opened: undefined, start: start && { ...start, signal: undefined } };
      const asking = source.signal?.aborted ? { ...state, ...free } : state;
      await readJobId(asking);
      const call = {
        name: 'POST /v1/jobs/:jobId/cancel',
        jobId: asking.jobId,
        signal: asking.signal,
      } as const;
      await requester.send(call, readNothing).catch((error) => {
        if (!(error instanceof ApiError && error.code === 'job_finished')) throw error;
      });
      if (asking !== state) (await asking.opened)?.close();
    },
  };
}

interface StreamState<E extends AnyJobEvent> extends StreamSource {
  requester: Requester;
  /** Ids of received events. */
  seen: Set<string>;
  /** The final event. */
  last?: E | undefined;
  /** A connection that was opened before the first loop. */
  opened?: Promise<ServiceResponse> | undefined;
}

async function* readEvents<E extends AnyJobEvent>(state: StreamState<E>): AsyncGenerator<E, void> {
  let failures = 0;
  let failure: unknown;
  while (!state.last) {
    const response = await (state.opened ?? connectWithRetries(state, failures, failure));
    state.opened = undefined;
    if (response.status === 204) return readNothing(response);
    const parse = createSseParser();
    try {
      for await (const chunk of response.chunks()) {
        for (const raw of parse(chunk)) {
          const event = accept(state, raw);
          if (!event) continue;
          failures = 0;
          yield event;
          if (state.last) return;
        }
      }
      throw new ConnectionError('stream_interrupted');
    } catch (error) {
      failure = error;
      failures++;
    }
  }
}

async function readJobId<E extends AnyJobEvent>(state: StreamState<E>): Promise<string> {
  state.opened ??= state.jobId ? undefined : connectWithRetries(state);
  await state.opened?.catch((error) => {
    state.opened = undefined;
    throw error;
  });
  // A proxy may have dropped the header; the first event has the id as well.
  if (!state.jobId) for await (const _ of readEvents(state)) if (state.jobId) break;
  return state.jobId ?? '';
}

async function readResult<E extends AnyJobEvent>(state: StreamState<E>): Promise<CompleteDataOf<E>> {
  for await (const _ of readEvents(state));
  if (!state.last) {
    // All events were read before: read them again from the beginning.
    delete state.lastEventId;
    for await (const _ of readEvents(state));
  }
  const { last } = state;
  if (last?.event === 'complete') return last.data as CompleteDataOf<E>;
  const { error = 'The job ended without a result', ...data } = (last?.data ?? {}) as Record<string, unknown>;
  throw new ApiError(`${error}`, 200, data);
}

/** Opens the stream: joins the job if its id is known, else starts it, with the same key each time. */
async function connect<E extends AnyJobEvent>(state: StreamState<E>): Promise<ServiceResponse> {
  const { start, jobId, lastEventId, signal } = state;
  const headers: Record<string, string> = lastEventId ? { 'Last-Event-ID': lastEventId } : {};
  const resume = { name: 'GET /v1/jobs/:jobId/events', jobId, headers, signal } as const;
  const response = await state.requester.open(start && (!jobId || state.stopsWithoutListener) ? start : resume);
  const type = response.headers.get('Content-Type') ?? '';
  if (response.status !== 204 && !type.startsWith('text/event-stream')) {
    response.close();
    throw badResponse(response);
  }
  state.jobId = response.headers.get('X-Job-Id') ?? state.jobId;
  return response;
}

/** Connects, with retries as long as the error may pass. */
async function connectWithRetries<E extends AnyJobEvent>(
  state: StreamState<E>,
  failures = 0,
  error?: unknown,
): Promise<ServiceResponse> {
  if (failures > 0) {
    const baseMs = state.requester.retryDelayMs;
    const delay = delayBeforeRetry({ error, failures, baseMs, stream: true, inProgress: !!state.jobId });
    if (delay === undefined) throw error;
    await sleep(delay, state.signal);
  }
  return connect(state).catch((cause) => connectWithRetries(state, failures + 1, cause));
}

/** Parses an event; returns undefined for a repeated event and for one clients need not know. */
function accept<E extends AnyJobEvent>(state: StreamState<E>, { id, event, data }: RawEvent): E | undefined {
  const { seen } = state;
  if (!/^(progress|complete|error)$/.test(event) || (id && seen.has(id))) return undefined;
  let parsed: E;
  try {
    parsed = { id, event, data: JSON.parse(data) } as unknown as E;
  } catch (error) {
    throw new ConnectionError('stream_interrupted', error);
  }
  // The service stopped the job because this client was disconnected: a new request continues it.
  const left = event === 'error' && (parsed.data as { code?: string }).code === 'client_left';
  if (left && state.start) {
    state.stopsWithoutListener = true;
    throw new ConnectionError('stream_interrupted');
  }
  seen.add(id);
  if (id) state.lastEventId = id;
  state.jobId ??= id.split(':')[0] || undefined;
  if (event !== 'progress') state.last = parsed;
  return parsed;
}
