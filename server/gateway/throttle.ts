import type { Middleware } from 'koa';
import type { Accounts } from '../accounts/index.ts';
import { AppError } from '../errors.ts';
import type { GatewayState } from './authenticate.ts';

const CLEAN_UP_ABOVE = 10_000;

interface Window {
  startedAt: number;
  lengthMs: number;
  requests: number;
}

/**
 * Makes the middleware that holds each account to its plan's rate limit, in fixed windows that begin with a request;
 * plans without one are let through untouched. Each process counts for itself, by a clock that nobody sets. Header fields are those of
 * draft-ietf-httpapi-ratelimit-headers-11. Stands behind the authentication.
 * @throws AppError rate_limited
 */
export function createThrottle({
  accounts,
  elapsed,
}: {
  accounts: Accounts;
  elapsed: () => number;
}): Middleware<GatewayState> {
  const windows = new Map<string, Window>();

  /** The account's running window, or a new one. */
  function windowOf(accountId: string, lengthMs: number, at: number): Window {
    const running = windows.get(accountId);
    if (running && !isOver(running, at) && running.lengthMs === lengthMs) return running;
    if (windows.size > CLEAN_UP_ABOVE) {
      for (const [id, window] of windows) if (isOver(window, at)) windows.delete(id);
    }
    const fresh = { startedAt: at, lengthMs, requests: 0 };
    windows.set(accountId, fresh);
    return fresh;
  }

  return async (ctx, next) => {
    const { id, plan } = ctx.state.account;
    const limit = accounts.plans.get(plan).rateLimit;
    if (!limit) return next();

    const at = elapsed();
    const window = windowOf(id, limit.windowSeconds * 1000, at);
    const seconds = Math.max(1, Math.ceil((window.startedAt + window.lengthMs - at) / 1000));
    const allowed = window.requests < limit.requests;
    if (allowed) window.requests += 1;
    const headers = {
      'RateLimit-Policy': `"${plan}";q=${limit.requests};w=${limit.windowSeconds}`,
      RateLimit: `"${plan}";r=${limit.requests - window.requests};t=${seconds}`,
    };
    if (!allowed) {
      throw new AppError(
        'rate_limited',
        `At most ${limit.requests} requests in ${limit.windowSeconds} seconds on the plan ${plan}; try again in ${seconds} seconds`,
        { details: { limit: limit.requests }, headers: { ...headers, 'Retry-After': String(seconds) } },
      );
    }
    ctx.set(headers);
    await next();
  };
}

function isOver({ startedAt, lengthMs }: Window, at: number): boolean {
  return at >= startedAt + lengthMs;
}
