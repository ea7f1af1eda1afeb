import { isIP } from 'node:net';
import type { Context, Middleware, Next } from 'koa';
import { AppError } from '../errors.ts';
import { isLoopback } from '../gateway/index.ts';
import type { HttpConfig } from './config.ts';

const SHOWN_CHARACTERS = 100;

/**
 * Refuses messages that Node accepts and that a proxy may interpret differently: an invalid target, no `Host` or several
 * (RFC 9112, 3.2), an unsupported transfer coding (6.1).
 * @throws AppError invalid_request
 */
export async function checkMessage(ctx: Context, next: Next): Promise<void> {
  const fault = faultOf(ctx);
  if (fault === null) return next();
  throw new AppError('invalid_request', fault, { headers: { Connection: 'close' } });
}

function faultOf(ctx: Context): string | null {
  const { rawHeaders, httpVersion, headers, url = '' } = ctx.req;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) return `Host: expected one, but received ${hosts || 'none'}`;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return `Transfer-Encoding: expected chunked, but received ${shown(coding)}`;
  return hasPath(ctx) ? null : `Expected a path or a URL behind ${ctx.method}, but received ${shown(url)}`;
}

function hasPath(ctx: Context): boolean {
  try {
    return typeof ctx.path === 'string';
  } catch {
    return false;
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}

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
