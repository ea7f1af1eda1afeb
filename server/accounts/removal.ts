import type { Repositories } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../observability/index.ts';

/** What {@link createAccountRemoval} works with. */
export interface AccountRemovalDeps {
  repositories: Pick<Repositories, 'accounts' | 'apiKeys' | 'ledger' | 'idempotency'>;
  /** Ends whatever lets somebody in as the account, and forgets the email. */
  forgetBrowserSessions: (accountId: string, email: string) => Promise<unknown>;
  /** Removes all that other modules keep for an account; false when a job may still be at it. */
  removeData: (accountId: string) => Promise<boolean>;
  logger: Logger;
  /** @default the clock */
  now?: () => Date;
}

/**
 * Makes what deletes accounts for good. First the account is marked, in one step: from then on no key, log-in or link
 * works. Then everything goes that it had, the ledger and the account itself last. What an interruption or a job on a
 * server that died has left is finished by `sweep`.
 */
export function createAccountRemoval(deps: AccountRemovalDeps) {
  const { repositories, forgetBrowserSessions, removeData, logger, now = () => new Date() } = deps;
  const { accounts, apiKeys, ledger, idempotency } = repositories;

  /** Removes what is left of a marked account; false when it has to be tried again. */
  async function finish(accountId: string): Promise<boolean> {
    await apiKeys.removeOfAccount(accountId);
    if (!(await removeData(accountId))) return false;
    await idempotency.removeOfAccount(accountId);
    await ledger.removeOfAccount(accountId);
    await accounts.removeDeleted(accountId);
    // A movement that began before may have written its line in between; one that writes it later sees no account.
    await ledger.removeOfAccount(accountId);
    return true;
  }

  return {
    /**
     * Deletes an account. Its running jobs are stopped first; if one of them does not end in time, the rest follows.
     * @throws AppError not_found
     */
    async remove(accountId: string): Promise<void> {
      const account = await accounts.find(accountId);
      if (!account || !(await accounts.markDeleted(accountId, now()))) {
        throw new AppError('not_found', `No account ${accountId}`);
      }
      const { balance, used, granted } = account;
      // The books end here: what stays of them is this line.
      logger.info({ accountId, balance, used, granted }, 'an account is being deleted');
      await forgetBrowserSessions(accountId, account.email);
      if (!(await finish(accountId))) logger.warn({ accountId }, 'a job keeps an account from being deleted at once');
    },

    /** Finishes deletions that were interrupted. @returns how many */
    async sweep(): Promise<number> {
      let removed = 0;
      for (const { _id: accountId } of await accounts.findDeleted(50)) {
        try {
          await forgetBrowserSessions(accountId, '');
          if (await finish(accountId)) removed += 1;
        } catch (error) {
          // One that cannot be removed must not keep the others.
          logger.warn({ err: error, accountId }, 'an account could not be removed');
        }
      }
      return removed;
    },
  };
}

/** What deletes accounts. */
export type AccountRemoval = ReturnType<typeof createAccountRemoval>;
