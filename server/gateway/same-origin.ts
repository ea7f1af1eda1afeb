import type { Context } from 'koa';
import { AppError } from '../errors.ts';

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
     * For requests that give a cookie: a foreign page must not be able to log somebody in as somebody else. Programs,
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
