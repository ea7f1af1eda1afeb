import type { CallInput, CallName, Calls } from '#contract';
import { ApiError, type ConnectionError } from '../errors.ts';
import { FILE_OR_ADDRESS, readFile } from './read-file.ts';
import { readError, readJson, readNothing, type ServiceResponse, toServiceResponse } from './response.ts';
import { delayBeforeRetry, sleep } from './retry.ts';
import { createWatch, type Watch } from './watch.ts';
import { sendWithProgress, UPLOAD_TIMES, type UploadProgress } from './xhr.ts';

/** Headers of each request: fixed, or a function called each time. */
export type HeadersSource = HeadersInit | (() => HeadersInit | Promise<HeadersInit>);

/** Options of a client. */
export interface ClientOptions {
  /**
   * Prefix of `/v1/…`: the address of the service, `''` for the page's own origin, or the path of a CMS's proxy such as
   * `/wp-json/imagewright/v1/service`.
   */
  endpoint: string;
  /** Sent as `X-API-Key`. Must not appear in a page that others see. */
  apiKey?: string | undefined;
  /** Sent with each request, for example a CMS's nonce. */
  headers?: HeadersSource | undefined;
  /** Replaces the platform's `fetch`; uploads then report progress only at the end. */
  fetch?: typeof fetch | undefined;
  /** Longest silence of the service before a connection is closed, in milliseconds. @default 60_000 */
  timeoutMs?: number | undefined;
  /** Wait before the second try, in milliseconds; doubles with each try. @default 500 */
  retryDelayMs?: number | undefined;
}

/** Options of every call. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** Options of calls that create or charge something. */
export interface WriteOptions extends CallOptions {
  /** Requests with the same key and content are carried out and charged once within 24 hours. Default: a new key per call. */
  idempotencyKey?: string | undefined;
}

/** Rate below which the service refuses an upload. */
const LOWEST_BYTES_PER_MS = 8;

type Values = Readonly<Record<string, string | number | undefined>>;

/** Values of the path of a call, by their names, and its query. */
export interface CallPlace {
  query?: Values | undefined;
  [name: string]: unknown;
}

/** Options of a request beside its endpoint and its data. @internal */
interface SendOptions extends CallOptions {
  form?: FormData | undefined;
  /** Checks the files of the form. @throws ConnectionError file_changed */
  check?: (() => Promise<unknown>) | undefined;
  headers?: Record<string, string> | undefined;
  /** Sent with every try. */
  idempotencyKey?: string | undefined;
  onProgress?: UploadProgress | undefined;
  /** True if a repeated request has no further effect. */
  repeatable?: boolean | undefined;
  /** True if the caller repeats the request itself. */
  once?: boolean | undefined;
}

/** One request. @internal */
export interface Call extends SendOptions {
  /** Method and path, for example `GET /v1/limits`. */
  name: CallName;
  query?: Values | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** Values of the path. */
  sessionId?: string | undefined;
  jobId?: string | undefined;
}

/** Sends requests to the service. @internal */
export interface Requester {
  /** Sends once. @throws ApiError for every response with an error status; ConnectionError */
  open(call: Call): Promise<ServiceResponse>;
  /** Sends, reads the response, and repeats both if that is safe and may help. @throws ApiError, ConnectionError */
  send<T>(call: Call, read: (response: ServiceResponse) => Promise<T>): Promise<T>;
  /** Calls an endpoint and reads its JSON, if it has any. A GET is repeated if that may help. */
  call<Name extends CallName>(name: Name, input: CallInput<Name> & SendOptions): Promise<Calls[Name]['answer']>;
  /** Reads a file, also from the store to which the service sends its clients. */
  getBlob<Name extends CallName>(name: Name, input: CallInput<Name> & SendOptions): Promise<Blob>;
  /** Wait before the second try, in milliseconds. */
  retryDelayMs: number;
}

/** Creates the requester of a client. @internal */
export function createRequester(options: ClientOptions): Requester {
  const { retryDelayMs = 500 } = options;
  const open = (call: Call) => sendOnce(options, call);
  const send: Requester['send'] = async (call, read) => {
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
  };
  return {
    open,
    send,
    retryDelayMs,
    call: (name, input) => {
      const read: (response: ServiceResponse) => Promise<unknown> = /^D/.test(name) ? readNothing : readJson;
      return send({ repeatable: /^G/.test(name), ...input, name }, read) as Promise<never>;
    },
    getBlob: (name, input) => {
      const headers = { ...input.headers, Accept: FILE_OR_ADDRESS };
      return send({ ...input, headers, name, repeatable: true }, (response) =>
        readFile(response, options, input.signal),
      );
    },
  };
}

/** Creates an idempotency key. Does not use `randomUUID`, which pages without HTTPS lack. */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function sendOnce(options: ClientOptions, call: Call): Promise<ServiceResponse> {
  const { method, path } = addressOf(call.name, call as unknown as CallPlace);
  const endpoint = options.endpoint.replace(/\/+$/, '');
  // An endpoint can contain a query: `/?rest_route=/imagewright/v1/service`.
  const url = endpoint + (endpoint.includes('?') ? path.replace('?', '&') : path);
  const init = {
    method,
    headers: await headersOf(options, call),
    body: call.form ?? (call.body === undefined ? null : JSON.stringify(call.body)),
    // Only `Authorization` would be kept from another host.
    redirect: (options.apiKey ? 'manual' : 'follow') as RequestRedirect,
  };
  const watch = createWatch(options.timeoutMs ?? 60_000, call.signal);
  try {
    const { onProgress } = call;
    const sent =
      onProgress && !options.fetch && typeof XMLHttpRequest === 'function'
        ? await sendWithProgress(url, init, { watch, onProgress })
        : await sendByFetch(options.fetch ?? fetch, url, init, { watch, onProgress });
    watch.pause();
    const response = toServiceResponse(sent, watch);
    if (!sent.ok) throw await readError(response);
    return response;
  } catch (error) {
    watch.end();
    const failed = watch.explain(error, 'network');
    if ((failed as ConnectionError).code !== 'aborted') await call.check?.();
    throw failed;
  }
}

/** Returns method and path of a call, with its values and its query. */
export function addressOf(name: string, { query, ...values }: CallPlace): { method: string; path: string } {
  const [method, path] = name.split(' ') as [string, string];
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(key, `${value}`);
  const filled = path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(`${values[key]}`));
  return { method, path: filled + (search.size > 0 ? `?${search}` : '') };
}

async function headersOf({ apiKey, headers: source }: ClientOptions, call: Call): Promise<Headers> {
  const headers = new Headers(typeof source === 'function' ? await source() : source);
  if (apiKey) headers.set('X-API-Key', apiKey);
  if (call.body !== undefined) headers.set('Content-Type', 'application/json');
  if (call.idempotencyKey) headers.set('Idempotency-Key', call.idempotencyKey);
  for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value);
  return headers;
}

async function sendByFetch(
  send: typeof fetch,
  url: string,
  init: RequestInit,
  { watch, onProgress }: { watch: Watch; onProgress?: UploadProgress },
): Promise<Response> {
  const { body } = init;
  const isUpload = body instanceof FormData;
  const bytes = isUpload ? [...body.values()].reduce((sum, value) => sum + ((value as Blob).size ?? 0), 0) : 0;
  // An upload by `fetch` has no progress events: it also gets the time of the lowest accepted rate.
  watch.start(isUpload ? UPLOAD_TIMES : 1, bytes / LOWEST_BYTES_PER_MS);
  const response = await send(url, { ...init, signal: watch.signal });
  if (onProgress && isUpload) onProgress(bytes, bytes);
  return response;
}
