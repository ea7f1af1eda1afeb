import type { Repositories } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../observability/index.ts';

interface AccountRemovalDeps {
  repositories: Pick<Repositories, 'accounts' | 'apiKeys' | 'ledger' | 'idempotency' | 'sessionTokens' | 'storedBytes'>;
  /** Ends all sessions and links of the account and removes its mails. */
  forgetBrowserSessions: (accountId: string, email: string) => Promise<unknown>;
  /** Removes the account's data in other modules; false if a job may still be running. */
  removeData: (accountId: string) => Promise<boolean>;
  logger: Logger;
}

/**
 * Creates the removal of accounts. First the account is marked as deleted in one step, which disables its keys, sessions
 * and links. Then its data is removed, the ledger and the account itself last. `sweep` completes interrupted removals.
 */
export function createAccountRemoval(deps: AccountRemovalDeps) {
  const { repositories, forgetBrowserSessions, removeData, logger } = deps;
  const { accounts, apiKeys, ledger, idempotency, sessionTokens, storedBytes } = repositories;

  /** Removes the data of a marked account; false if it has to be retried. */
  async function finish(accountId: string): Promise<boolean> {
    await apiKeys.removeOfAccount(accountId);
    await sessionTokens.removeOfAccount(accountId);
    if (!(await removeData(accountId))) return false;
    await idempotency.removeOfAccount(accountId);
    await storedBytes.removeOfAccount(accountId);
    await ledger.removeOfAccount(accountId);
    await accounts.removeDeleted(accountId);
    // A concurrent entry may have been written in between; a later one removes itself, since the account is gone.
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
      if (!account || !(await accounts.markDeleted(accountId, new Date()))) {
        throw new AppError('not_found', `No account ${accountId}`);
      }
      const { balance, used, granted } = account;
      // The only record of the account's credits that remains.
      logger.info({ accountId, balance, used, granted }, 'an account is being deleted');
      await forgetBrowserSessions(accountId, account.email);
      if (!(await finish(accountId))) logger.warn({ accountId }, 'a job keeps an account from being deleted at once');
    },

    /** Completes interrupted removals. @returns the number of removed accounts */
    async sweep(): Promise<number> {
      let removed = 0;
      for (const { _id: accountId } of await accounts.findDeleted(50)) {
        try {
          await forgetBrowserSessions(accountId, '');
          if (await finish(accountId)) removed += 1;
        } catch (error) {
          // A failure must not block the other accounts.
          logger.warn({ err: error, accountId }, 'an account could not be removed');
        }
      }
      return removed;
    },
  };
}

/** Removal of accounts. */
export type AccountRemoval = ReturnType<typeof createAccountRemoval>;
