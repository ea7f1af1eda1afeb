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
