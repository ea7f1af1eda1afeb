import type { Context, Next } from 'koa';
import type { Endpoint } from '#contract';

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
