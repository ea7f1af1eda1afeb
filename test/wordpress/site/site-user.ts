/** Response of the plugin's routes: the current attachment, or an error. */
export type Answer = Record<string, unknown> & {
  code?: string;
  data?: { status: number; noted?: boolean; details?: unknown };
};

/** A logged-in user with the cookies and the nonce of the admin pages. */
export interface SiteUser {
  /** `Cookie` header. */
  cookie: string;
  /** Cookies for a browser. */
  cookies: { name: string; value: string; url: string }[];
  nonce: string;
  /** Calls a route of the plugin, e.g. `/status`. A body is sent as JSON. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Calls a route and returns its JSON. @throws Error on a status of 400 or more */
  json<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>;
  /** Calls a route and returns status and JSON. Does not throw on error statuses. */
  answer<T = Answer>(method: string, path: string, body?: unknown): Promise<[status: number, body: T]>;
  /** Uploads a file to the media library and returns the attachment's id. */
  upload(name: string, bytes: Uint8Array, type: string): Promise<number>;
}

/** Logs in through the login form of WordPress. */
export async function logIn(url: string, user: string, password: string): Promise<SiteUser> {
  const body = new URLSearchParams({ log: user, pwd: password, testcookie: '1' });
  const answer = await fetch(`${url}/wp-login.php`, {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { Cookie: 'wordpress_test_cookie=WP%20Cookie%20check' },
  });
  const pairs = answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  const cookie = pairs.filter((pair) => !pair.endsWith('=')).join('; ');
  if (!cookie.includes('wordpress_logged_in')) throw new Error(`${user} cannot log in: ${answer.status}`);
  const nonce = await fetch(`${url}/wp-admin/admin-ajax.php?action=rest-nonce`, { headers: { Cookie: cookie } });
  const auth = { Cookie: cookie, 'X-WP-Nonce': await nonce.text() };

  async function call(method: string, path: string, sent?: unknown, headers: Record<string, string> = {}) {
    const isForm = sent instanceof FormData;
    return fetch(`${url}/wp-json/imagewright/v1${path}`, {
      method,
      headers: {
        ...auth,
        ...(sent !== undefined && !isForm ? { 'Content-Type': 'application/json' } : {}),
        ...headers,
      },
      body: sent === undefined || isForm ? (sent as FormData | undefined) : JSON.stringify(sent),
    });
  }

  return {
    cookie,
    cookies: pairs.map((pair) => {
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      return { name, value, url };
    }),
    nonce: auth['X-WP-Nonce'],
    call,
    async json<T>(method: string, path: string, sent?: unknown) {
      const response = await call(method, path, sent);
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 2000)}`);
      return JSON.parse(text) as T;
    },
    async answer<T>(method: string, path: string, sent?: unknown): Promise<[number, T]> {
      const response = await call(method, path, sent);
      const text = await response.text();
      return [response.status, JSON.parse(text || '{}') as T];
    },
    async upload(name, bytes, type) {
      const response = await fetch(`${url}/wp-json/wp/v2/media`, {
        method: 'POST',
        headers: { ...auth, 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` },
        body: bytes as Uint8Array<ArrayBuffer>,
      });
      const made = (await response.json()) as { id: number };
      if (!response.ok) throw new Error(`upload of ${name}: ${response.status} ${JSON.stringify(made).slice(0, 500)}`);
      return made.id;
    },
  };
}
