import type { SiteConfig } from './site-config.ts';

/** A response without success, or no response. */
export class RestError extends Error {
  override readonly name = 'RestError';
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Code of the plugin, of WordPress or of the service; `logged_out` and `unreachable` are set here. */
  readonly code: string;
  readonly data: Record<string, unknown>;

  constructor(status: number, code: string, message: string, data: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

/** Client of the plugin's routes. */
export interface Rest {
  /** Calls a route, e.g. `/status`, and returns its JSON. @throws RestError */
  call<T>(method: string, path: string, options?: RestOptions): Promise<T>;
  /** Calls a route and returns its bytes. @throws RestError */
  blob(path: string, signal?: AbortSignal): Promise<Blob>;
  /** Returns the current headers of a request. */
  headers(): Record<string, string>;
  /** Fetches a new nonce. False: the user is logged out. */
  renew(): Promise<boolean>;
}

/** Options of a call. */
export interface RestOptions {
  query?: Record<string, string | number | readonly (string | number)[]>;
  json?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Creates the client of the plugin's routes. A nonce is valid for a day at most; an expired one is renewed once per call. */
export function createRest(site: Pick<SiteConfig, 'root' | 'nonce' | 'nonceUrl' | 'strings'>): Rest {
  const context: RestContext = { ...site, renewal: null };
  return {
    async call<T>(method: string, path: string, options: RestOptions = {}) {
      const response = await send(context, method, path, options);
      return (await response.json()) as T;
    },
    blob: async (path, signal) => (await send(context, 'GET', path, { signal })).blob(),
    headers: () => ({ 'X-WP-Nonce': context.nonce }),
    renew: () => renewNonce(context),
  };
}

interface RestContext {
  readonly root: string;
  readonly nonceUrl: string;
  readonly strings: SiteConfig['strings'];
  nonce: string;
  /** Renewal in progress. */
  renewal: Promise<boolean> | null;
}

/** Sends a request. Renews an expired nonce and sends it again, once. @throws RestError */
async function send(context: RestContext, method: string, path: string, options: RestOptions): Promise<Response> {
  for (let isFirst = true; ; isFirst = false) {
    const response = await sendOnce(context, method, path, options);
    if (response.ok) return response;
    const error = await readError(response);
    const isLogin = response.status === 401 || error.code === 'rest_cookie_invalid_nonce';
    if (!isLogin) throw error;
    if (!isFirst || !(await renewNonce(context))) {
      throw new RestError(response.status, 'logged_out', context.strings.loggedOut ?? error.message);
    }
  }
}

async function sendOnce(
  { root, nonce, strings }: RestContext,
  method: string,
  path: string,
  { query, json, headers, signal }: RestOptions,
): Promise<Response> {
  const isJson = json !== undefined;
  return fetch(addressOf(root, path, query), {
    method,
    credentials: 'same-origin',
    headers: {
      'X-WP-Nonce': nonce,
      // Together with `_locale`: the response is in the language of the user, not of the site.
      Accept: 'application/json, */*;q=0.1',
      ...(isJson && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(isJson && { body: JSON.stringify(json) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new RestError(0, 'unreachable', strings.unreachable ?? '');
  });
}

function renewNonce(context: RestContext): Promise<boolean> {
  // Concurrent calls fail together when a nonce expires and share one renewal.
  context.renewal ??= fetchNonce(context).finally(() => {
    context.renewal = null;
  });
  return context.renewal;
}

async function fetchNonce(context: RestContext): Promise<boolean> {
  const response = await fetch(context.nonceUrl, { credentials: 'same-origin' }).catch(() => null);
  const text = response?.ok ? (await response.text()).trim() : '';
  if (!/^[0-9a-f]{10}$/.test(text)) return false;
  context.nonce = text;
  return true;
}

/** Joins root, path and query. Without pretty permalinks the root already has a query. */
function addressOf(root: string, path: string, query: RestOptions['query'] = {}): string {
  const pairs = new URLSearchParams({ _locale: 'user' });
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value) pairs.append(`${name}[]`, String(one));
    else pairs.append(name, String(value));
  }
  return `${root}${path}${root.includes('?') ? '&' : '?'}${pairs}`;
}

/** Reads the error of a response, in the format of WordPress or, for proxied routes, of the service. */
async function readError(response: Response): Promise<RestError> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const message = [body.message, body.error].find((text) => typeof text === 'string') ?? `HTTP ${response.status}`;
  const code = typeof body.code === 'string' ? body.code : 'failed';
  return new RestError(response.status, code, String(message), (body.data ?? {}) as Record<string, unknown>);
}
