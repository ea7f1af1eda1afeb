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
import type { GatewayConfig } from './config.ts';

/** What {@link createBilling} works with. */
export interface BillingDeps {
  accounts: Accounts;
  config: GatewayConfig;
}

/** How a job ended, as far as its price goes. */
export interface Outcome {
  /** Images that were charged. */
  total: number;
  /** Images that were delivered. */
  completed: number;
}

/** Makes what turns images into credits: charge before the work, settle after it. */
export function createBilling({ accounts, config }: BillingDeps) {
  const { ledger } = accounts;

  /** Credits that one image costs. */
  function costPerImage(operation: Operation): number {
    if (operation === 'export') return EXPORT_CREDITS_PER_IMAGE;
    return operation === 'analyze' ? config.ANALYSIS_CREDITS : 0;
  }

  async function require(accountId: string): Promise<Account> {
    const account = await accounts.find(accountId);
    if (!account) throw new AppError('not_found', `No account ${accountId}`);
    return account;
  }

  /**
   * Gives back what was charged for images that were not delivered, once per job, and tells what the job cost.
   * `charged` is what was taken before the work; the job's price is charged - refunded.
   */
  async function settle(job: { accountId: string; jobId: string } & Outcome): Promise<JobCredits> {
    const { accountId, jobId, total, completed } = job;
    if (!(total > 0 && completed >= 0 && completed <= total)) {
      throw new TypeError(`expected completed from 0 to total, but received ${completed} of ${total}`);
    }
    const charged = await ledger.charged(accountId, jobId);
    if (charged > 0) {
      const amount = Math.round((charged * (total - completed)) / total);
      if (amount > 0) await ledger.refund({ accountId, ref: jobId, amount });
      await ledger.closeCharge(accountId, jobId);
    }
    const refunded = charged > 0 ? await ledger.refunded(accountId, jobId) : 0;
    return { charged, refunded, balance: await ledger.balance(accountId) };
  }

  return {
    costPerImage,
    settle,

    /**
     * Takes the price of a job before its work starts, once per job id.
     * @throws AppError insufficient_credits; idempotency_in_progress when the charge was given back meanwhile: the job
     *   must not be started then, and the request's idempotency record be abandoned, so that a retry is a new job
     */
    async charge(
      account: { id: string },
      jobId: string,
      imageCount: number,
      operation: Operation,
    ): Promise<JobCredits> {
      const accountId = account.id;
      const charged = imageCount * costPerImage(operation);
      if (charged === 0) return { charged, refunded: 0, balance: (await require(accountId)).balance };
      const { balance, applied } = await ledger.charge({ accountId, ref: jobId, amount: charged });
      if (!applied && (await ledger.refunded(accountId, jobId)) > 0) {
        throw new AppError('idempotency_in_progress', 'The interrupted request was undone; send it again', {
          headers: { 'Retry-After': '1' },
        });
      }
      return { charged, refunded: 0, balance };
    },

    /** Whether credits were taken for a job. */
    async isCharged(accountId: string, jobId: string): Promise<boolean> {
      return ledger.isCharged(accountId, jobId);
    },

    /**
     * Settles charges whose jobs nobody settled, because a process died, and returns how many.
     * @param onError hears of a charge that could not be settled; the others go on
     * @param outcomeOf what became of a job: null when it does not exist (everything is given back), 'running' when
     *   somebody works on it or will
     * @param minAgeMs milliseconds that a charge must be old; more than a request may lie between its charge and its job
     */
    async settleAbandoned({
      outcomeOf,
      onError,
      minAgeMs = 15 * 60_000,
    }: {
      outcomeOf: (accountId: string, jobId: string) => Promise<Outcome | 'running' | null>;
      onError: (error: unknown, ref: string) => void;
      minAgeMs?: number;
    }): Promise<number> {
      let count = 0;
      for (const { accountId, ref } of await ledger.openCharges({ minAgeMs })) {
        try {
          const outcome = await outcomeOf(accountId, ref);
          if (outcome === 'running') continue;
          await settle({ accountId, jobId: ref, ...(outcome ?? { total: 1, completed: 0 }) });
          count += 1;
        } catch (error) {
          // One that cannot be settled must not keep the others.
          onError(error, ref);
        }
      }
      return count;
    },

    /** The answer of `GET /v1/credits/balance`. */
    async balance(accountId: string): Promise<Balance> {
      const { balance, plan, used, granted, keys, updatedAt } = await require(accountId);
      return { balance, plan, used, granted, keys, updatedAt: updatedAt.toISOString() };
    },

    /** The answer of `POST /v1/credits/check`; takes nothing. */
    async check(accountId: string, { imageCount, images, operation }: CreditCheckRequest): Promise<CreditCheck> {
      const count = imageCount ?? (Array.isArray(images) ? images.length : (images ?? 0));
      const price = costPerImage(operation);
      const cost = count * price;
      const { balance } = await require(accountId);
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
    },
  };
}

/** Prices, charges and refunds of jobs. */
export type Billing = ReturnType<typeof createBilling>;
