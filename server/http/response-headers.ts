import type { Context, Middleware, Next } from 'koa';
import type { Endpoint } from '#contract';
import { hasTokenForm } from '../accounts/index.ts';

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
    const isPreflight = ctx.method === 'OPTIONS' && origin !== '' && ctx.get('Access-Control-Request-Method') !== '';
    if (!isPreflight) {
      if (isListed || (isWeb && hasTokenForm(ctx.get('X-API-Key')))) {
        ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED_HEADERS });
      }
      return next();
    }
    const open = endpointsAt(ctx.path).filter(({ token }) => isListed || (isWeb && token !== undefined));
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
