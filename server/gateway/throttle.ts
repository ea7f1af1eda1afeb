import type { Middleware } from 'koa';
import type { Accounts } from '../accounts/index.ts';
import type { Budget } from '../budgets/index.ts';
import { AppError } from '../errors.ts';
import type { GatewayState } from './authenticate.ts';

/**
 * Creates the middleware that applies each plan's rate limit per account, in windows that begin with a request. A plan
 * without a limit is not counted. Header fields follow draft-ietf-httpapi-ratelimit-headers-11. Must run after the
 * authentication.
 * @throws AppError rate_limited
 */
export function createThrottle({
  accounts,
  requests,
}: {
  accounts: Accounts;
  /** Counts the requests of an account. */
  requests: Budget;
}): Middleware<GatewayState> {
  return async (ctx, next) => {
    const { id, plan } = ctx.state.account;
    const limit = accounts.plans.get(plan).rateLimit;
    if (!limit) return next();

    // A plan whose window has another length by now begins a new one.
    const key = `${id}:${limit.windowSeconds}`;
    const window = { key, limit: limit.requests, windowMs: limit.windowSeconds * 1000 };
    const { isTaken, left, endsInMs } = await requests.take([window]);
    const seconds = Math.max(1, Math.ceil(endsInMs / 1000));
    const headers = {
      'RateLimit-Policy': `"${plan}";q=${limit.requests};w=${limit.windowSeconds}`,
      RateLimit: `"${plan}";r=${left};t=${seconds}`,
    };
    if (!isTaken) {
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
