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
 * Creates the middleware that applies each plan's rate limit per account, in fixed windows that begin with a request. A plan
 * without a limit is not counted. Each process counts separately, by a monotonic clock. Header fields follow
 * draft-ietf-httpapi-ratelimit-headers-11. Must run after the authentication.
 * @throws AppError rate_limited
 */
export function createThrottle({
  accounts,
  monotonicNow,
}: {
  accounts: Accounts;
  monotonicNow: () => number;
}): Middleware<GatewayState> {
  const windows = new Map<string, Window>();

  /** Returns the account's current window, or a new one. */
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

    const at = monotonicNow();
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
