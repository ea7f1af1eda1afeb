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
export function createRest({
  root,
  nonceUrl,
  strings,
  ...config
}: Pick<SiteConfig, 'root' | 'nonce' | 'nonceUrl' | 'strings'>): Rest {
  let nonce = config.nonce;
  let renewal: Promise<boolean> | null = null;

  async function fetchNonce(): Promise<boolean> {
    const response = await fetch(nonceUrl, { credentials: 'same-origin' }).catch(() => null);
    const text = response?.ok ? (await response.text()).trim() : '';
    if (!/^[0-9a-f]{10}$/.test(text)) return false;
    nonce = text;
    return true;
  }

  function renew(): Promise<boolean> {
    // Concurrent calls fail together when a nonce expires and share one renewal.
    renewal ??= fetchNonce().finally(() => {
      renewal = null;
    });
    return renewal;
  }

  async function send(method: string, path: string, options: RestOptions, again = true): Promise<Response> {
    const { query, json, headers, signal } = options;
    const response = await fetch(addressOf(root, path, query), {
      method,
      credentials: 'same-origin',
      headers: {
        'X-WP-Nonce': nonce,
        // Together with `_locale`: the response is in the language of the user, not of the site.
        Accept: 'application/json, */*;q=0.1',
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw new RestError(0, 'unreachable', strings.unreachable ?? '');
    });
    if (response.ok) return response;
    const error = await readError(response);
    const isLogin = response.status === 401 || error.code === 'rest_cookie_invalid_nonce';
    if (!isLogin) throw error;
    if (again && (await renew())) return send(method, path, options, false);
    throw new RestError(response.status, 'logged_out', strings.loggedOut ?? error.message);
  }

  return {
    async call<T>(method: string, path: string, options: RestOptions = {}) {
      const response = await send(method, path, options);
      return (await response.json()) as T;
    },
    blob: async (path, signal) => (await send('GET', path, { signal })).blob(),
    headers: () => ({ 'X-WP-Nonce': nonce }),
    renew,
  };
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
