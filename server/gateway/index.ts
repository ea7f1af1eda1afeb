// Owns who may call, how often and at what price: authentication, throttle, billing, idempotency. Must not know pixels or jobs.
import type { Accounts, IdempotencyRepository } from '../accounts/index.ts';
import { createAuthenticate } from './authenticate.ts';
import { createBilling } from './billing.ts';
import type { GatewayConfig } from './config.ts';
import { createIdempotency } from './idempotency.ts';
import { createThrottle } from './throttle.ts';

export type { Caller, GatewayState } from './authenticate.ts';
export type { Billing, Outcome } from './billing.ts';
export type { GatewayConfig } from './config.ts';
export { type Beginning, hashRequest, type Idempotency, type IdempotentRequest, type Ticket } from './idempotency.ts';

/** What {@link createGateway} works with. */
export interface GatewayDeps {
  accounts: Accounts;
  /** The repository of idempotency records. */
  idempotencyRecords: IdempotencyRepository;
  config: GatewayConfig;
  /** @default the clock */
  now?: () => Date;
}

/** Makes the middleware `authenticate` and `throttle` (in this order, before any body is read), and `billing` and `idempotency`. */
export function createGateway({ accounts, idempotencyRecords, config, now = () => new Date() }: GatewayDeps) {
  return {
    authenticate: createAuthenticate({ accounts }),
    throttle: createThrottle({ accounts, now }),
    billing: createBilling({ accounts, config }),
    idempotency: createIdempotency({ records: idempotencyRecords, now }),
  };
}

/** The gateway. */
export type Gateway = ReturnType<typeof createGateway>;
