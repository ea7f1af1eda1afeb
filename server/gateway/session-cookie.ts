import type { Context } from 'koa';
import { AppError } from '../errors.ts';
import type { CookieKind } from '../sign-in/index.ts';

/** Protection of the cookie; see the setting `LOGIN_COOKIE`. */
export type CookieMode = 'secure' | 'plain';

/** With this prefix browsers accept the cookie from this host only, for all its paths, and send it over HTTPS alone. */
const SECURE_NAME = '__Host-imagewright';
/** Over plain HTTP browsers refuse the prefix; WebKit also on this machine. */
const PLAIN_NAME = 'imagewright-login';
const SECURE_PROBE = '__Host-imagewright-probe';
const PLAIN_PROBE = 'imagewright-probe';

/** Pages of this machine, whose browsers need no TLS. Subdomains of localhost are others' pages, and do not count. */
const LOCAL_PAGE = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
const PROBE_SECONDS = 3600;

/** The cookie of a request. */
interface PresentedLogin {
  token: string;
  kind: CookieKind;
}

/**
 * Makes what reads and writes the cookie of a log-in. Over plain HTTP on this machine the cookie is a plain one, since
 * WebKit drops a `Secure` one there.
 * @param publicUrl of https: no cookie is plain unless the mode is
 */
export function createSessionCookie(mode: CookieMode, publicUrl?: string) {
  const isPublicSecure = publicUrl !== undefined && new URL(publicUrl).protocol === 'https:';
  const mayBeLocal = (ctx: Context) => mode === 'secure' && !isPublicSecure && !ctx.secure;

  /** The page decides, as its browser states it; the peer may be a proxy on this machine. */
  function kindFor(ctx: Context): CookieKind {
    if (mode === 'plain') return 'plain';
    return mayBeLocal(ctx) && LOCAL_PAGE.test(ctx.get('Origin')) ? 'local' : 'secure';
  }

  function readAll(ctx: Context): PresentedLogin[] {
    const of = (name: string, kind: CookieKind) => valuesOf(ctx, name).map((token) => ({ token, kind }));
    if (mode === 'plain') return of(PLAIN_NAME, 'plain');
    return [...of(SECURE_NAME, 'secure'), ...(mayBeLocal(ctx) ? of(PLAIN_NAME, 'local') : [])];
  }

  /** Deletes what the browser has sent, except `kept`: a second cookie would make both useless. */
  function clearSent(ctx: Context, kept?: string): void {
    for (const name of [SECURE_NAME, PLAIN_NAME, SECURE_PROBE, PLAIN_PROBE]) {
      if (name !== kept && valuesOf(ctx, name).length > 0) set(ctx, name, '', 0);
    }
  }

  const nameOf = (kind: CookieKind) => (kind === 'secure' ? SECURE_NAME : PLAIN_NAME);

  return {
    kindFor,

    /** Returns the log-in of a request; undefined without a cookie or with two: one of two is forged. */
    read(ctx: Context): PresentedLogin | undefined {
      const all = readAll(ctx);
      return all.length === 1 ? all[0] : undefined;
    },

    /** Sets the cookie, of the kind that the session was opened with. */
    write(ctx: Context, { token, maxAgeSeconds, kind }: PresentedLogin & { maxAgeSeconds: number }): void {
      set(ctx, nameOf(kind), token, maxAgeSeconds);
      clearSent(ctx, nameOf(kind));
    },

    /** Deletes the cookie. */
    clear(ctx: Context): void {
      const sent = [SECURE_NAME, PLAIN_NAME].filter((name) => valuesOf(ctx, name).length > 0);
      if (sent.length === 0) set(ctx, nameOf(kindFor(ctx)), '', 0);
      clearSent(ctx);
    },

    ...createProbe(kindFor),

    /**
     * Refuses to log in where the browser would drop the cookie in silence: a page that came over plain HTTP from
     * elsewhere. The `Origin` tells, also behind a proxy that does the TLS.
     * @throws AppError tls_required
     */
    requireUsable(ctx: Context): void {
      const origin = ctx.get('Origin');
      if (mode === 'plain' || !origin.startsWith('http://') || !URL.canParse(origin)) return;
      if (isLoopback(new URL(origin).hostname)) return;
      throw new AppError(
        'tls_required',
        `Your browser keeps no log-in from ${origin.slice(0, 200)}, since it is not HTTPS. Put TLS in front of the service, or have its operator set LOGIN_COOKIE=plain`,
      );
    },
  };
}

/** Makes what asks a browser for a cookie before anything is used up for a log-in that it would lose. */
function createProbe(kindFor: (ctx: Context) => CookieKind) {
  return {
    /** Gives a browser a cookie of the kind that a log-in would get, which {@link requireProbe} wants back. */
    probe(ctx: Context): void {
      if (isBrowser(ctx)) set(ctx, probeOf(kindFor(ctx)), '1', PROBE_SECONDS);
    },

    /**
     * Refuses a browser that did not keep the cookie of {@link probe}, before anything is used up for a log-in that it
     * would lose. Programs, which say nothing about where they come from, pass.
     * @throws AppError cookie_refused
     */
    requireProbe(ctx: Context): void {
      const name = probeOf(kindFor(ctx));
      if (!isBrowser(ctx) || valuesOf(ctx, name).length > 0) return;
      // The next try of a browser whose cookie had only expired succeeds.
      set(ctx, name, '1', PROBE_SECONDS);
      throw new AppError(
        'cookie_refused',
        'expected the cookie that your browser was given, but received none; allow cookies for this page and try again. Nothing was used up',
      );
    },
  };
}

/** Every browser states the origin of a page that sends a form or calls `fetch` with POST. */
const isBrowser = (ctx: Context) => ctx.get('Origin') !== '';
const probeOf = (kind: CookieKind) => (kind === 'secure' ? SECURE_PROBE : PLAIN_PROBE);

function valuesOf(ctx: Context, name: string): string[] {
  return ctx
    .get('Cookie')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

function set(ctx: Context, name: string, value: string, maxAgeSeconds: number): void {
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  ctx.append('Set-Cookie', `${name}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`);
}

/** Reads and writes the sign-in cookie. */
export type SessionCookie = ReturnType<typeof createSessionCookie>;

/** Returns true for a host name of a URL or setting that means this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Returns the base URL at which this machine reaches a server on `host`; all interfaces include the loopback one. */
export function localUrl(host: string, port: number): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Creates the check that a request with the cookie comes from a page of this service. */
export function createSameOrigin({ publicUrl }: { publicUrl?: string | undefined }) {
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;

  function isOwn(ctx: Context, origin: string): boolean {
    return origin === publicOrigin || origin === `${ctx.protocol}://${ctx.host}`;
  }

  /** Returns the origin of a request by the browser's header fields; `unknown` without them. */
  function judge(ctx: Context): 'own' | 'typed' | 'foreign' | 'unknown' {
    const site = ctx.get('Sec-Fetch-Site');
    if (site === 'same-origin') return 'own';
    // A typed address or a bookmark: no page made the request.
    if (site === 'none') return 'typed';
    if (site !== '') return 'foreign';
    const origin = ctx.get('Origin');
    if (origin === '') return 'unknown';
    return isOwn(ctx, origin) ? 'own' : 'foreign';
  }

  const refuse = () => {
    throw new AppError('cross_site_request', 'This request must come from a page of this very service');
  };

  return {
    /** Checks a request with the cookie; one that changes data must prove its origin. @throws cross_site_request */
    require(ctx: Context): void {
      const from = judge(ctx);
      if (from === 'own') return;
      if (from === 'foreign' || !SAFE_METHODS.has(ctx.method)) refuse();
    },

    /**
     * Tests if a page of `origin` made the request. Browsers omit `Origin` only for reads of the page's own origin, so a
     * request without it counts as one of this service.
     */
    isFrom(ctx: Context, origin: string): boolean {
      const stated = ctx.get('Origin');
      if (stated !== '') return stated === origin;
      return (
        SAFE_METHODS.has(ctx.method) && isOwn(ctx, origin) && ['', 'same-origin'].includes(ctx.get('Sec-Fetch-Site'))
      );
    },

    /**
     * For requests that give a cookie: a foreign page must not be able to log a person in as another. Programs,
     * which say nothing about where they come from, may. @throws cross_site_request
     */
    refuseForeign(ctx: Context): void {
      const from = judge(ctx);
      if (from === 'foreign' || (from === 'typed' && !SAFE_METHODS.has(ctx.method))) refuse();
    },
  };
}

/** Checks the origin of requests. */
export type SameOrigin = ReturnType<typeof createSameOrigin>;
