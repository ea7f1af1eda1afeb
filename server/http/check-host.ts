import { isIP } from 'node:net';
import type { Middleware } from 'koa';
import { AppError } from '../errors.ts';
import { isLoopback } from '../gateway/index.ts';
import type { HttpConfig } from './config.ts';

/** Paths that monitors ask for under any name; they tell nothing of accounts. */
const EXEMPT = ['/healthz', '/readyz', '/metrics'];

/**
 * Creates the middleware that refuses requests for foreign names, so that a page whose name an attacker has pointed at this
 * machine (DNS rebinding) cannot read responses. Addresses and names without a dot cannot be rebound. On other than loopback
 * addresses, only a service with `ALLOWED_HOSTS` checks, since its names are not known.
 * @throws AppError misdirected_request
 */
export function createHostCheck({
  HOST,
  PUBLIC_URL,
  ALLOWED_HOSTS,
}: Pick<HttpConfig, 'HOST' | 'PUBLIC_URL' | 'ALLOWED_HOSTS'>): Middleware {
  const known = new Set([...ALLOWED_HOSTS, ...(PUBLIC_URL ? [new URL(PUBLIC_URL).hostname] : [])]);
  const checks = isLoopback(HOST) || ALLOWED_HOSTS.length > 0;
  return async (ctx, next) => {
    const name = nameOf(ctx.req.headers.host ?? '');
    if (!checks || !name.includes('.') || isIP(name) > 0 || isLoopback(name) || known.has(name)) return next();
    if (EXEMPT.includes(ctx.path)) return next();
    const message = `Host: expected a name of this service, but received ${JSON.stringify(name.slice(0, 100))}; see ALLOWED_HOSTS`;
    throw new AppError('misdirected_request', message);
  };
}

/** Returns the name or address of a `Host` field in lower case, without port, brackets and the dot of the root. */
function nameOf(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.trim().toLowerCase()) ?? [];
  // A value that is not a host name is refused like a foreign host.
  return bracketed ?? (plain.replace(/\.$/, '') || (host === '' ? '' : `${host}.`));
}
