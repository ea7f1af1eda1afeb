import {
  type Balance,
  type CreditCheck,
  type CreditCheckRequest,
  EXPORT_CREDITS_PER_IMAGE,
  type JobCredits,
  type Operation,
} from '#contract';
import type { Account, Accounts } from '../accounts/index.ts';
import { AppError } from '../errors.ts';
import type { Caller, CallerToken } from './authenticate.ts';
import type { GatewayConfig } from './config.ts';

/** Caller who pays, by the account or within the limit of a session token. */
type Payer = Pick<Caller, 'id' | 'token'>;

interface BillingDeps {
  accounts: Accounts;
  config: GatewayConfig;
}

/** Counts by which a job is settled. */
export interface Outcome {
  /** Images of the job. */
  total: number;
  /** Images that were charged. @default all */
  payable?: number | undefined;
  /** Images that were delivered and are to be paid. */
  completed: number;
}

/** A batch whose price is asked for; `payable`: images that are charged, if not all are. */
type CheckedBatch = Pick<CreditCheckRequest, 'imageCount' | 'images' | 'operation'> & { payable?: number };

interface SettleAbandonedOptions {
  /**
   * Returns the outcome of a job: null when it does not exist, which refunds the whole charge; `running` when it is or
   * will be processed.
   */
  outcomeOf: (accountId: string, jobId: string) => Promise<Outcome | 'running' | null>;
  /** Called with a charge that could not be settled; the others continue. */
  onError: (error: unknown, ref: string) => void;
  /** Minimum age of a charge, in milliseconds; must exceed the time between a charge and its job. @default 900000 */
  minAgeMs?: number;
}

/** Creates the billing of jobs in credits: charge before the work, settle after it. */
export function createBilling(deps: BillingDeps) {
  const { ledger } = deps.accounts;

  return {
    /** Returns the credits that one image costs. */
    costPerImage: (operation: Operation): number => costPerImage(operation, deps),

    /** Refunds the images that were not delivered, once per job, and returns what the job cost. */
    settle: (job: { accountId: string; jobId: string } & Outcome): Promise<JobCredits> => settle(job, deps),

    /**
     * Takes the price of a job before its work starts, once per job id.
     * @throws AppError insufficient_credits; idempotency_in_progress when the charge was refunded meanwhile: the caller
     *   must not start the job and must abandon the idempotency record, so that a retry is a new job
     */
    charge: ({ id, token }: Payer, jobId: string, imageCount: number, operation: Operation): Promise<JobCredits> =>
      charge({ accountId: id, token, jobId, amount: imageCount * costPerImage(operation, deps) }, deps),

    /** Returns true when credits were taken for a job. */
    isCharged: (accountId: string, jobId: string): Promise<boolean> => ledger.isCharged(accountId, jobId),

    /** Settles the charges that a dead process left open and returns their number. */
    settleAbandoned: (options: SettleAbandonedOptions): Promise<number> => settleAbandoned(options, deps),

    /** Returns the credits in the response of `GET /v1/credits/balance`. */
    async balance(accountId: string): Promise<Omit<Balance, 'limits'>> {
      const { balance, plan, used, granted, keys, updatedAt } = await requireAccount(accountId, deps);
      return { balance, plan, used, granted, keys, updatedAt: updatedAt.toISOString() };
    },

    /** Returns the response of `POST /v1/credits/check`; charges nothing. */
    check: (account: Payer, request: CheckedBatch): Promise<CreditCheck> => checkCredits(account, request, deps),

    /** Returns a job or event as a caller may see it: to a session token the balance is what it may spend. */
    seenBy: async <T extends object>(account: Payer, shown: T): Promise<T> =>
      (await seenBy(account, [shown], deps))[0] as T,

    /** Returns jobs as a caller may see them, as `seenBy` does. */
    allSeenBy: <T extends object>(account: Payer, shown: T[]): Promise<T[]> => seenBy(account, shown, deps),
  };
}

/** Prices, charges and refunds of jobs. */
export type Billing = ReturnType<typeof createBilling>;

interface ChargedJob {
  _id: string;
  accountId: string;
  total: number;
  payable?: number | undefined;
}

/**
 * Connects jobs, which do not know credits, to billing.
 * @returns settles a job by its delivered images, and tells whether one was charged
 */
export function payJobs(billing: Billing, metrics: { creditsRefunded: (credits: number) => void }) {
  return {
    async settle({ _id: jobId, accountId, total, payable = total }: ChargedJob, delivered: number) {
      const credits = await billing.settle({ accountId, jobId, total, payable, completed: delivered });
      metrics.creditsRefunded(credits.refunded);
      return { credits, perImage: payable > 0 ? credits.charged / payable : 0 };
    },
    isPaid: ({ accountId, _id }: { accountId: string; _id: string }) => billing.isCharged(accountId, _id),
  };
}

function costPerImage(operation: Operation, { config }: BillingDeps): number {
  if (operation === 'export') return EXPORT_CREDITS_PER_IMAGE;
  return operation === 'analyze' ? config.ANALYSIS_CREDITS : 0;
}

async function requireAccount(accountId: string, { accounts }: BillingDeps): Promise<Account> {
  const account = await accounts.find(accountId);
  if (!account) throw new AppError('not_found', `No account ${accountId}`);
  return account;
}

/** Returns `charged` as taken before the work; the price of the job is charged - refunded. */
async function settle(
  { accountId, jobId, total, payable = total, completed }: { accountId: string; jobId: string } & Outcome,
  { accounts: { ledger, tokens } }: BillingDeps,
): Promise<JobCredits> {
  if (!(total > 0 && completed >= 0 && completed <= total)) {
    throw new TypeError(`expected completed from 0 to total, but received ${completed} of ${total}`);
  }
  const charged = await ledger.charged(accountId, jobId);
  if (charged > 0) {
    // What was not charged for cannot be refunded: fewer are to be paid than were charged, never more.
    const amount = payable > 0 ? Math.round((charged * Math.max(0, payable - completed)) / payable) : 0;
    if (amount > 0) {
      await ledger.refund({ accountId, ref: jobId, amount });
      await tokens.giveBack(jobId, amount);
    }
    await ledger.closeCharge(accountId, jobId);
  }
  const refunded = charged > 0 ? await ledger.refunded(accountId, jobId) : 0;
  return { charged, refunded, balance: await ledger.balance(accountId) };
}

async function charge(
  { accountId, token, jobId, amount }: { accountId: string; token?: CallerToken; jobId: string; amount: number },
  deps: BillingDeps,
): Promise<JobCredits> {
  const { ledger, tokens } = deps.accounts;
  if (amount === 0) return { charged: 0, refunded: 0, balance: (await requireAccount(accountId, deps)).balance };
  // Before the account pays: a crash in between costs the token credits, never the account.
  if (token) await tokens.take(token.id, jobId, amount);
  const { balance, applied } = await ledger.charge({ accountId, ref: jobId, amount }).catch(async (error) => {
    if (token && error instanceof AppError) await tokens.untake(token.id, jobId, amount);
    throw error;
  });
  if (!applied && (await ledger.refunded(accountId, jobId)) > 0) {
    throw new AppError('idempotency_in_progress', 'The interrupted request was undone; send it again', {
      headers: { 'Retry-After': '1' },
    });
  }
  return { charged: amount, refunded: 0, balance };
}

async function settleAbandoned(
  { outcomeOf, onError, minAgeMs = 15 * 60_000 }: SettleAbandonedOptions,
  deps: BillingDeps,
): Promise<number> {
  let count = 0;
  for (const { accountId, ref } of await deps.accounts.ledger.openCharges({ minAgeMs })) {
    try {
      const outcome = await outcomeOf(accountId, ref);
      if (outcome === 'running') continue;
      await settle({ accountId, jobId: ref, ...(outcome ?? { total: 1, completed: 0 }) }, deps);
      count += 1;
    } catch (error) {
      // A failed settlement must not prevent the others.
      onError(error, ref);
    }
  }
  return count;
}

/** Returns the balance, or what is left to a session token if that is less. */
async function spendable({ id, token }: Payer, deps: BillingDeps): Promise<number> {
  const { balance } = await requireAccount(id, deps);
  return token ? Math.min(balance, await deps.accounts.tokens.left(token.id)) : balance;
}

async function seenBy<T extends { credits?: JobCredits | null }>(
  account: Payer,
  shown: T[],
  deps: BillingDeps,
): Promise<T[]> {
  if (!account.token || !shown.some(({ credits }) => credits)) return shown;
  const balance = await spendable(account, deps);
  return shown.map((one) => (one.credits ? { ...one, credits: { ...one.credits, balance } } : one));
}

async function checkCredits(
  account: Payer,
  { imageCount, images, operation, payable }: CheckedBatch,
  deps: BillingDeps,
): Promise<CreditCheck> {
  const count = imageCount ?? (Array.isArray(images) ? images.length : (images ?? 0));
  const price = costPerImage(operation, deps);
  const cost = (payable ?? count) * price;
  const balance = await spendable(account, deps);
  return {
    operation,
    imageCount: count,
    costPerImage: price,
    cost,
    balance,
    balanceAfter: balance - cost,
    sufficient: balance >= cost,
    shortfall: Math.max(0, cost - balance),
  };
}
