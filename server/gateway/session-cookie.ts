import type { Context } from 'koa';
import { AppError } from '../errors.ts';

/** Protection of the cookie; see the setting `LOGIN_COOKIE`. */
export type CookieMode = 'secure' | 'plain';

/** With this prefix browsers accept the cookie from this host only, for all its paths, over HTTPS or on this machine. */
const SECURE_NAME = '__Host-imagewright';
/** Over plain HTTP browsers refuse the prefix. */
const PLAIN_NAME = 'imagewright-login';

/** Makes what reads and writes the cookie of a log-in. */
export function createSessionCookie(mode: CookieMode) {
  const name = mode === 'secure' ? SECURE_NAME : PLAIN_NAME;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${mode === 'secure' ? '; Secure' : ''}`;

  return {
    /** Returns the token of a request; undefined when the cookie is absent or occurs twice: one of two is forged. */
    read(ctx: Context): string | undefined {
      const values = ctx
        .get('Cookie')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`))
        .map((pair) => pair.slice(name.length + 1));
      return values.length === 1 ? values[0] : undefined;
    },

    /** Sets the cookie. */
    write(ctx: Context, { token, maxAgeSeconds }: { token: string; maxAgeSeconds: number }): void {
      ctx.append('Set-Cookie', `${name}=${token}; Max-Age=${maxAgeSeconds}; ${attributes}`);
    },

    /** Deletes the cookie. */
    clear(ctx: Context): void {
      ctx.append('Set-Cookie', `${name}=; Max-Age=0; ${attributes}`);
    },

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
