import type { Context } from 'koa';
import type { Visitor } from '../sign-in/index.ts';

/** Returns the client's address and user agent; `TRUST_PROXY` decides how far `X-Forwarded-For` is trusted. */
export function visitorOf(ctx: Context): Visitor {
  return { address: ctx.ip, userAgent: ctx.get('User-Agent') };
}
