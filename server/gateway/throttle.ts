import type { Middleware } from 'koa';
import type { Accounts } from '../accounts/index.ts';
import { AppError } from '../errors.ts';
import type { GatewayState } from './authenticate.ts';
import type { CountRequest } from './rate-windows.ts';

/**
 * Creates the middleware that applies each plan's rate limit per account, in windows that begin with a request. A plan
 * without a limit is not counted. Header fields follow draft-ietf-httpapi-ratelimit-headers-11. Must run after the
 * authentication.
 * @throws AppError rate_limited
 */
export function createThrottle({
  accounts,
  count,
}: {
  accounts: Accounts;
  count: CountRequest;
}): Middleware<GatewayState> {
  return async (ctx, next) => {
    const { id, plan } = ctx.state.account;
    const limit = accounts.plans.get(plan).rateLimit;
    if (!limit) return next();

    const { allowed, left, endsInMs } = await count(id, limit);
    const seconds = Math.max(1, Math.ceil(endsInMs / 1000));
    const headers = {
      'RateLimit-Policy': `"${plan}";q=${limit.requests};w=${limit.windowSeconds}`,
      RateLimit: `"${plan}";r=${left};t=${seconds}`,
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
