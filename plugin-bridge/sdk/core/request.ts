import { ApiError } from '../errors.ts';
import { delayBeforeRetry, sleep } from './retry.ts';
import { createWatch, type Watch } from './watch.ts';
import { sendWithProgress, type UploadProgress } from './xhr.ts';

/** Headers for each request: as they are, or asked for anew each time. */
export type HeadersSource = HeadersInit | (() => HeadersInit | Promise<HeadersInit>);

/** How the service is reached. */
export interface ClientOptions {
  /**
   * What stands before `/v1/…`: the address of the service, `''` for the page's own origin, or the path of a CMS's proxy
   * such as `/wp-json/imagewright/v1/service`.
   */
  endpoint: string;
  /** Sent as `X-API-Key`. Never put it into a page that others see. */
  apiKey?: string;
  /** Sent with each request, e.g. a CMS's nonce. */
  headers?: HeadersSource;
  /** Instead of the platform's own; uploads then have no progress in between. */
  fetch?: typeof fetch;
  /** Longest silence of the service before the connection is given up, in milliseconds. @default 60_000 */
  timeoutMs?: number;
  /** Wait before a second try, in milliseconds; it doubles from try to try. @default 500 */
  retryDelayMs?: number;
}

/** What every call takes. */
export interface CallOptions {
  signal?: AbortSignal;
}

/** What calls take that make or charge something. */
export interface WriteOptions extends CallOptions {
  /** The same key and content are done and charged once, within 24 hours. Default: a new one for each call. */
  idempotencyKey?: string;
}

/** One request. */
export interface Call extends CallOptions {
  /** @default 'GET' */
  method?: string;
  /** Below the endpoint, e.g. `/v1/sessions`. */
  path: string;
  query?: Record<string, string | number | undefined>;
  json?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
  /** Sent with every try. */
  idempotencyKey?: string;
  onProgress?: UploadProgress;
  /** Doing it twice does what doing it once does. */
  repeatable?: boolean;
  /** It is never repeated: the caller does that. */
  once?: boolean;
}

/** An answer whose head has come. */
export interface Answer {
  status: number;
  headers: Headers;
  /** The body as it comes. @throws ConnectionError `stream_interrupted`, `timeout`, `aborted` */
  chunks(): AsyncGenerator<Uint8Array>;
  /** Closes the connection. */
  close(): void;
}

/** Makes what all methods send their requests with. */
export function createTransport(options: ClientOptions) {
  const { apiKey, headers: source, timeoutMs = 60_000, retryDelayMs = 500 } = options;
  const endpoint = options.endpoint.replace(/\/+$/, '');

  function addressOf({ path, query = {} }: Call): string {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, `${value}`);
    // An endpoint can hold a query of its own: `/?rest_route=/imagewright/v1/service`.
    const mark = endpoint.includes('?') ? '&' : '?';
    return endpoint + path + (search.size > 0 ? mark + search : '');
  }

  /** Sends once. @throws ApiError for every answer that is an error; ConnectionError */
  async function open(call: Call): Promise<Answer> {
    const headers = new Headers(typeof source === 'function' ? await source() : source);
    if (apiKey) headers.set('X-API-Key', apiKey);
    if (call.json !== undefined) headers.set('Content-Type', 'application/json');
    if (call.idempotencyKey) headers.set('Idempotency-Key', call.idempotencyKey);
    for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value);
    const init = {
      method: call.method ?? 'GET',
      headers,
      body: call.form ?? (call.json === undefined ? null : JSON.stringify(call.json)),
    };
    const watch = createWatch(timeoutMs, call.signal);
    try {
      const { onProgress } = call;
      const response =
        onProgress && !options.fetch && typeof XMLHttpRequest === 'function'
          ? await sendWithProgress(addressOf(call), init, { watch, onProgress })
          : await sendByFetch(addressOf(call), init, { watch, onProgress });
      watch.pause();
      const answer = answerOf(response, watch);
      if (!response.ok) throw await readError(answer);
      return answer;
    } catch (error) {
      watch.end();
      throw watch.explain(error, 'network');
    }
  }

  async function sendByFetch(
    url: string,
    init: RequestInit,
    { watch, onProgress }: { watch: Watch; onProgress?: UploadProgress },
  ): Promise<Response> {
    const { body } = init;
    // Nothing tells how far an upload is: it gets the time that the service gives it, and more.
    watch.start(body instanceof FormData ? 5 : 1);
    const response = await (options.fetch ?? fetch)(url, { ...init, signal: watch.signal });
    if (onProgress && body instanceof FormData) {
      const bytes = [...body.values()].reduce((sum, value) => sum + (value instanceof Blob ? value.size : 0), 0);
      onProgress(bytes, bytes);
    }
    return response;
  }

  /** Sends, reads the answer, and repeats both where that is safe and may help. */
  async function send<T>(call: Call, read: (answer: Answer) => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await read(await open(call));
      } catch (error) {
        const refused = error instanceof ApiError && (error.status === 429 || error.status === 503);
        const mayRepeat = !call.once && (call.repeatable || refused);
        const delay = mayRepeat ? delayBeforeRetry({ error, failures, baseMs: retryDelayMs }) : undefined;
        if (delay === undefined) throw error;
        await sleep(delay, call.signal);
      }
    }
  }

  return {
    open,
    send,
    retryDelayMs,
    /** Reads what is at a path, as JSON. */
    get: <T>(path: string, { signal }: CallOptions, query?: Call['query']) =>
      send({ path, query, signal, repeatable: true }, readJson<T>),
    /** The same for what is no JSON. */
    getBlob: (path: string, { signal }: CallOptions, query?: Call['query']) =>
      send({ path, query, signal, repeatable: true }, readBlob),
  };
}

/** What all methods send their requests with. */
export type Transport = ReturnType<typeof createTransport>;

/** Reads an answer's body as a whole. */
async function readBlob({ headers, chunks }: Answer): Promise<Blob> {
  const parts: BlobPart[] = [];
  for await (const chunk of chunks()) parts.push(chunk as Uint8Array<ArrayBuffer>);
  return new Blob(parts, { type: headers.get('Content-Type') ?? '' });
}

/** Reads an answer as JSON. @throws ApiError `bad_response` when it is none */
export async function readJson<T>(answer: Answer): Promise<T> {
  const text = await (await readBlob(answer)).text();
  try {
    return JSON.parse(text) as T;
  } catch {
    throw badResponse(answer);
  }
}

/** Reads an answer that holds nothing. */
export async function readNothing(answer: Answer): Promise<void> {
  await readBlob(answer);
}

/** The error for an answer that cannot have come from the service. */
export function badResponse({ status, headers }: Answer): ApiError {
  const type = headers.get('Content-Type')?.split(';')[0] || 'nothing';
  return new ApiError(`The service's address answered ${status} with ${type}`, status, {}, headers);
}

/** A new key for what must be done once. Not `randomUUID`: pages without HTTPS have none. */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function answerOf(response: Response, watch: Watch): Answer {
  const close = () => watch.end(true);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const reader = response.body?.getReader();
    try {
      while (reader) {
        watch.start();
        const { done, value } = await reader.read();
        watch.pause();
        if (done) break;
        yield value;
      }
    } catch (error) {
      throw watch.explain(error, 'stream_interrupted');
    } finally {
      close();
    }
  }
  return { status: response.status, headers: response.headers, chunks, close };
}

async function readError(answer: Answer): Promise<ApiError> {
  const { status, headers } = answer;
  let body: unknown;
  try {
    body = await readJson(answer);
  } catch {
    // What the status says is worth more than why its page could not be read.
  }
  if (typeof body !== 'object' || body === null) return badResponse(answer);
  const { error, message } = body as Record<string, unknown>;
  const text = error ?? message;
  return typeof text === 'string' ? new ApiError(text, status, { ...body }, headers) : badResponse(answer);
}
