import type { Context } from 'koa';
import type { Visitor } from '../sign-in/index.ts';

/** Who is at the other end; `X-Forwarded-For` counts as far as `TRUST_PROXY` says. */
export function visitorOf(ctx: Context): Visitor {
  return { address: ctx.ip, userAgent: ctx.get('User-Agent') };
}
