import { isIP } from 'node:net';
import type { Context, Middleware, Next } from 'koa';
import type { Endpoint } from '#contract';
import { AppError } from '../errors.ts';
import { isLoopback } from '../gateway/index.ts';
import { secretHasForm } from '../ids.ts';
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

/** Methods of the whole service. */
const METHODS = 'GET, HEAD, POST, PATCH, DELETE, OPTIONS';

/** Responds to `OPTIONS *`, which asks for the service and no path of it (RFC 9110, 9.3.7). */
export async function answerOptions(ctx: Context, next: Next): Promise<void> {
  if (ctx.method !== 'OPTIONS' || ctx.req.url !== '*') return next();
  ctx.status = 204;
  ctx.set('Allow', METHODS);
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

/** `Cache-Control` of responses that belong to one account, and of errors. */
export const NOT_STORED = 'private, no-store';

/** Forbids browsers to guess another type than the declared one. */
export const NOSNIFF = { 'X-Content-Type-Options': 'nosniff' } as const;

/** A year, in seconds: browsers use HTTPS alone for that long after a response. */
const HSTS = { 'Strict-Transport-Security': 'max-age=31536000' };

/** Creates the middleware that sets the header fields of every response; HSTS if the service is reached by HTTPS. */
export function createSafetyHeaders({ PUBLIC_URL }: { PUBLIC_URL?: string | undefined }) {
  const fields = { ...NOSNIFF, ...(PUBLIC_URL?.startsWith('https:') ? HSTS : {}) };
  return async (ctx: Context, next: Next): Promise<void> => {
    ctx.set(fields);
    await next();
  };
}

/** Returns true for an endpoint of one account or of the log-in; false for a public document. */
export function isPrivate({ auth, path }: Endpoint): boolean {
  return auth !== 'none' || path.startsWith('/account/');
}

const REQUEST_HEADERS = [
  'Content-Type',
  'X-API-Key',
  'Idempotency-Key',
  'Last-Event-ID',
  'If-Match',
  'If-None-Match',
  'If-Range',
  'Range',
].join(', ');
const EXPOSED_HEADERS = [
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Job-Id',
  'X-Request-Id',
].join(', ');
/** Seconds for which browsers keep the answer to a preflight. */
const MAX_AGE_SECONDS = 600;

/**
 * Creates the middleware by which pages of other origins may call `/v1`. Pages of the listed origins may read every response,
 * and a page that sent a session token may read its response, also a refusal, since it has to learn the reason. Preflights
 * carry no key: the answer names the methods of the path that the origin may try. Credentials are never allowed, so that no
 * cookie counts.
 * @param endpointsAt returns the endpoints of a path
 */
export function createCors(
  { CORS_ORIGINS: listed }: { CORS_ORIGINS: string[] },
  endpointsAt: (path: string) => Endpoint[],
): Middleware {
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/v1/')) return next();
    ctx.vary('Origin');
    const origin = ctx.get('Origin');
    const isListed = listed.includes(origin);
    // Pages without an origin of their own send `null`.
    const isWeb = /^https?:\/\//.test(origin);
    const endpoints = origin === '' ? [] : endpointsAt(ctx.path);
    // The document of the API has nothing of an account.
    const isPublic = endpoints.some((endpoint) => !isPrivate(endpoint));
    const isPreflight = ctx.method === 'OPTIONS' && origin !== '' && ctx.get('Access-Control-Request-Method') !== '';
    if (!isPreflight) {
      if (isListed || (isWeb && secretHasForm('iwt', ctx.get('X-API-Key')))) {
        ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED_HEADERS });
      } else if (isPublic) ctx.set('Access-Control-Allow-Origin', '*');
      return next();
    }
    const open = endpoints.filter((one) => isListed || (isWeb && (one.token !== undefined || !isPrivate(one))));
    if (open.length === 0) return next();
    ctx.status = 204;
    ctx.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Methods': [...new Set(open.map(({ method }) => method))].join(', '),
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': String(MAX_AGE_SECONDS),
    });
  };
}
