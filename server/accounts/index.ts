// Owns accounts, plans, API keys and the credit ledger. Must not know HTTP, jobs or pixels.
import type { Repositories } from '../db/index.ts';
import { createDirectory } from './accounts.ts';
import { createApiKeys } from './api-keys.ts';
import { createAudit } from './audit.ts';
import type { AccountsConfig } from './config.ts';
import { createCredentials } from './credentials.ts';
import { createLedger } from './ledger.ts';
import { createLimits } from './limits.ts';
import { createOperatorLog } from './operator-log.ts';
import { createPlans } from './plans.ts';
import { createSessionTokens } from './session-tokens.ts';
import { createTransactions } from './transactions.ts';

// The gateway stores its records through this module, since it must not know the database.
export type { IdempotencyRecord, IdempotencyRepository, StoredResponse } from '../db/index.ts';
export { type Account, PLACEHOLDER_EMAIL } from './accounts.ts';
export { type ApiKey, type KeyCheck, newApiKey } from './api-keys.ts';
export type { AuditReport, BrokenInvariant } from './audit.ts';
export { type AccountsConfig, accountsConfig, type Plan } from './config.ts';
export type { EntryRequest, EntryResult } from './ledger.ts';
export { newGrantRef, type Settled } from './ledger.ts';
export type { AccountLimits } from './limits.ts';
export {
  type Actor,
  COMMAND_LINE,
  formatLogLine,
  type LogFormat,
  type LoggedAction,
  logHeader,
  logLineIdOf,
  newLogLineId,
  type OperatorLog,
} from './operator-log.ts';
export { findPepper, fingerprintOf, loadPepper } from './pepper.ts';
export { type AccountRemoval, createAccountRemoval } from './removal.ts';

interface AccountsDeps {
  repositories: Pick<
    Repositories,
    | 'accounts'
    | 'apiKeys'
    | 'ledger'
    | 'sessions'
    | 'storedBytes'
    | 'sessionTokens'
    | 'operatorLog'
    | 'jobHistory'
    | 'records'
  >;
  /** From `loadPepper`. */
  pepper: Buffer;
  config: AccountsConfig;
  /** @default the clock */
  now?: () => Date;
}

/**
 * Creates the directory of accounts and their credentials, with `plans`, `keys`, `tokens`, `ledger`, `limits`,
 * `transactions`, `operatorLog` and `audit`.
 */
export function createAccounts({ repositories, pepper, config, now = () => new Date() }: AccountsDeps) {
  const { accounts, apiKeys, sessions, storedBytes, sessionTokens } = repositories;
  const plans = createPlans(config);
  const ledger = createLedger({ accounts, ledger: repositories.ledger, now });
  return {
    ...createDirectory({ accounts, ledger, plans, now }),
    ...createCredentials({ accounts, now }),
    plans,
    keys: createApiKeys({ accounts, apiKeys, plans, pepper, now }),
    tokens: createSessionTokens({ accounts, apiKeys, sessionTokens, pepper, config, now }),
    ledger,
    limits: createLimits({ accounts, sessions, storedBytes, plans, now }),
    transactions: createTransactions(repositories),
    operatorLog: createOperatorLog({ log: repositories.operatorLog, accounts, now }),
    /** Counts all accounts and sums their credits. */
    figures: () => accounts.figures(),
    audit: createAudit({ accounts, ledger: repositories.ledger, records: repositories.records }),
  };
}

/** Accounts. */
export type Accounts = ReturnType<typeof createAccounts>;
