// Owns authentication, rate limits, billing and idempotency. Must not know pixels or jobs.

import type { Middleware } from 'koa';
import type { Accounts, IdempotencyRepository } from '../accounts/index.ts';
import { type Budget, createBudget, type SharedCounters } from '../budgets/index.ts';
import { AppError } from '../errors.ts';
import type { Shares } from '../shares/index.ts';
import type { BrowserSessions } from '../sign-in/index.ts';
import { createAuthenticate, type GatewayState } from './authenticate.ts';
import { createBilling } from './billing.ts';
import type { GatewayConfig } from './config.ts';
import { createIdempotency } from './idempotency.ts';
import { createSameOrigin, type SessionCookie } from './session-cookie.ts';

export type { Caller, GatewayState } from './authenticate.ts';
export type { Billing, Outcome } from './billing.ts';
export type { GatewayConfig } from './config.ts';
export { type Beginning, hashRequest, type Idempotency, type IdempotentRequest, type Ticket } from './idempotency.ts';
export { createSessionCookie, isLoopback, localUrl, type SessionCookie } from './session-cookie.ts';

/** Dependencies of {@link createGateway}. */
export interface GatewayDeps {
  accounts: Accounts;
  /** The repository of idempotency records. */
  idempotencyRecords: IdempotencyRepository;
  browserSessions: Pick<BrowserSessions, 'check'>;
  shares: Pick<Shares, 'check'>;
  config: GatewayConfig;
  cookie: SessionCookie;
  /** Counts that all servers share; absent: this process is the only one. */
  counters?: SharedCounters | undefined;
  /** Configured base URL under which browsers reach the service. */
  publicUrl?: string | undefined;
  /** @default the clock */
  now?: () => Date;
  /** Monotonic clock, in milliseconds. @default performance.now */
  monotonicNow?: () => number;
}

/**
 * Makes the middleware `authenticate`, by kind of endpoint, and `throttle` (in this order, before any body is read), and
 * `cookie`, `billing` and `idempotency`.
 */
export function createGateway(deps: GatewayDeps) {
  const { accounts, idempotencyRecords, browserSessions, shares, config, cookie, publicUrl, counters } = deps;
  const { now = () => new Date(), monotonicNow = () => performance.now() } = deps;
  const sameOrigin = createSameOrigin({ publicUrl });
  // A twentieth at once: few requests need the database.
  const block = (limit: number) => Math.floor(limit / 20);
  const requests = createBudget({ name: 'rate', isFinal: true, block }, { counters, now, monotonicNow });
  return {
    authenticate: createAuthenticate({ accounts, browserSessions, cookie, sameOrigin, shares, requests }),
    cookie,
    throttle: createThrottle({ accounts, requests }),
    billing: createBilling({ accounts, config }),
    idempotency: createIdempotency({ records: idempotencyRecords, now, monotonicNow }),
  };
}

/** The gateway. */
export type Gateway = ReturnType<typeof createGateway>;

/**
 * Creates the middleware that applies each plan's rate limit per account, in windows that begin with a request. A plan
 * without a limit is not counted. Header fields follow draft-ietf-httpapi-ratelimit-headers-11. Must run after the
 * authentication.
 * @throws AppError rate_limited
 */
function createThrottle({
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
