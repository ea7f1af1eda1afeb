import type { Context, Next } from 'koa';
import type { Endpoint } from '#contract';

/** `Cache-Control` of responses that belong to one account, and of errors. */
export const NOT_STORED = 'private, no-store';

/** Forbids browsers to guess another type than the declared one. */
export const NOSNIFF = { 'X-Content-Type-Options': 'nosniff' } as const;

/** Sets the header fields that every response has. */
export async function setSafetyHeaders(ctx: Context, next: Next): Promise<void> {
  ctx.set(NOSNIFF);
  await next();
}

/** Returns true for an endpoint of one account or of the log-in; false for a public document. */
export function isPrivate({ auth, path }: Endpoint): boolean {
  return auth !== 'none' || path.startsWith('/account/');
}
