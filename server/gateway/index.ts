// Owns authentication, rate limits, billing and idempotency. Must not know pixels or jobs.

import type { Accounts, IdempotencyRepository } from '../accounts/index.ts';
import { createBudget, type SharedCounters } from '../budgets/index.ts';
import type { Shares } from '../shares/index.ts';
import type { BrowserSessions } from '../sign-in/index.ts';
import { createAuthenticate, createThrottle } from './authenticate.ts';
import { createBilling } from './billing.ts';
import type { GatewayConfig } from './config.ts';
import { createIdempotency } from './idempotency.ts';
import { createSameOrigin, type SessionCookie } from './session-cookie.ts';

export type { Caller, GatewayState } from './authenticate.ts';
export { type Billing, type Outcome, payJobs } from './billing.ts';
export type { GatewayConfig } from './config.ts';
export {
  type Beginning,
  hashRequest,
  type Idempotency,
  type IdempotentRequest,
  newWork,
  type Ticket,
  type Work,
} from './idempotency.ts';
export { createSessionCookie, isLoopback, localUrl, type SessionCookie } from './session-cookie.ts';

interface GatewayDeps {
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
