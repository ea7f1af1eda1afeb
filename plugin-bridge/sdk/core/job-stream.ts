import { ApiError, ConnectionError } from '../errors.ts';
import { type Answer, badResponse, type Call, readNothing, type Transport } from './request.ts';
import { delayBeforeRetry, sleep } from './retry.ts';
import { createSseParser, type RawEvent } from './sse.ts';

/** Any event of a job. */
export interface AnyJobEvent {
  id: string;
  event: string;
  data: unknown;
}

/** What a job's `complete` event says. */
export type CompleteDataOf<E> = E extends { event: 'complete'; data: infer D } ? D : never;

/**
 * A job's events as they come. Nothing is sent before the first use. A connection that breaks is made again without a
 * second charge and without an event twice. Leaving the loop closes the connection and lets the job go on; another loop
 * goes on where the first one stopped. One reader at a time.
 */
export interface JobStream<E extends AnyJobEvent> extends AsyncIterable<E> {
  /** Kept by whoever may have to ask again after a crash; `''` for a job that is only followed. */
  readonly idempotencyKey: string;
  /** The job's id, as soon as the service has taken the job. @throws ApiError, ConnectionError */
  jobId(): Promise<string>;
  /**
   * Reads to the end and returns what the `complete` event says.
   * @throws ApiError what the `error` event says; ConnectionError
   */
  result(): Promise<CompleteDataOf<E>>;
  /** Cancels the job at the service; what was not exported is refunded. No error when it has ended already. */
  cancel(): Promise<void>;
}

/** A job to start, or one to follow. */
export interface StreamSource {
  /** Starts the job, and joins it when repeated. */
  start?: Call & { idempotencyKey: string };
  /** The job stops when nobody listens, and goes on when it is asked for again. */
  stopsWithoutListener?: boolean;
  jobId?: string;
  lastEventId?: string;
  signal?: AbortSignal;
}

/** Makes the stream of a job. */
export function createJobStream<E extends AnyJobEvent>(transport: Transport, source: StreamSource): JobStream<E> {
  const { start, stopsWithoutListener, signal } = source;
  const seen = new Set<string>();
  let { jobId, lastEventId = '' } = source;
  let last: E | undefined;
  let opened: Promise<Answer> | undefined;

  const pathOf = (end: string) => `/v1/jobs/${encodeURIComponent(jobId ?? '')}/${end}`;

  /** Opens the stream: joins the job where it is known, else starts it, with the same key each time. */
  async function connect(): Promise<Answer> {
    const headers: Record<string, string> = lastEventId ? { 'Last-Event-ID': lastEventId } : {};
    const resume = { path: pathOf('events'), headers, signal };
    const answer = await transport.open(start && (!jobId || stopsWithoutListener) ? start : resume);
    const type = answer.headers.get('Content-Type') ?? '';
    if (answer.status !== 204 && !type.startsWith('text/event-stream')) {
      answer.close();
      throw badResponse(answer);
    }
    jobId = answer.headers.get('X-Job-Id') ?? jobId;
    return answer;
  }

  /** Connects until it succeeds or there is no hope left. */
  async function connectPatiently(failures = 0, error?: unknown): Promise<Answer> {
    for (let cause = error; ; ) {
      if (failures > 0) {
        const failure = { error: cause, failures, stream: true, underWay: !!jobId };
        const delay = delayBeforeRetry({ ...failure, baseMs: transport.retryDelayMs });
        if (delay === undefined) throw cause;
        await sleep(delay, signal);
      }
      try {
        return await connect();
      } catch (caught) {
        cause = caught;
        failures++;
      }
    }
  }

  /** An event that was not seen before; undefined for what no client has to know. */
  function accept({ id, event, data }: RawEvent): E | undefined {
    if (!/^(progress|complete|error)$/.test(event) || (id && seen.has(id))) return undefined;
    let parsed: E;
    try {
      parsed = { id, event, data: JSON.parse(data) } as unknown as E;
    } catch (error) {
      throw new ConnectionError('stream_interrupted', error);
    }
    // The news that we had left: whoever asks again goes on.
    const left = event === 'error' && (parsed.data as { code?: string }).code === 'client_left';
    if (left && start && stopsWithoutListener) throw new ConnectionError('stream_interrupted');
    seen.add(id);
    lastEventId = id || lastEventId;
    jobId ??= id.split(':')[0] || undefined;
    if (event !== 'progress') last = parsed;
    return parsed;
  }

  async function* events(): AsyncGenerator<E> {
    let failures = 0;
    let failure: unknown;
    while (!last) {
      const answer = await (opened ?? connectPatiently(failures, failure));
      opened = undefined;
      if (answer.status === 204) return readNothing(answer);
      const parse = createSseParser();
      try {
        for await (const chunk of answer.chunks()) {
          for (const raw of parse(chunk)) {
            const event = accept(raw);
            if (!event) continue;
            failures = 0;
            yield event;
            if (last) return;
          }
        }
        throw new ConnectionError('stream_interrupted');
      } catch (error) {
        failure = error;
        failures++;
      }
    }
  }

  const stream: JobStream<E> = {
    idempotencyKey: start?.idempotencyKey ?? '',
    [Symbol.asyncIterator]: events,

    async jobId() {
      opened ??= jobId ? undefined : connectPatiently();
      await opened?.catch((error) => {
        opened = undefined;
        throw error;
      });
      // A proxy may have dropped the header; then the first event says it.
      if (!jobId) for await (const _ of events()) if (jobId) break;
      return jobId ?? '';
    },

    async result() {
      for await (const _ of events());
      if (!last) {
        // Everything was seen before: once more from the beginning.
        lastEventId = '';
        for await (const _ of events());
      }
      if (last?.event === 'complete') return last.data as CompleteDataOf<E>;
      const { error = 'The job ended without a result', ...data } = (last?.data ?? {}) as Record<string, unknown>;
      throw new ApiError(`${error}`, 200, data);
    },

    async cancel() {
      if (last) return;
      await stream.jobId();
      const call = { method: 'POST', path: pathOf('cancel'), signal };
      await transport.send(call, readNothing).catch((error) => {
        if (!(error instanceof ApiError && error.code === 'job_finished')) throw error;
      });
    },
  };
  return stream;
}
