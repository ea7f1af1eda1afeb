import type { Account, Accounts } from '../accounts/index.ts';
import { AppError } from '../errors.ts';

/** The account that a link is about. @throws AppError invalid_link when it is gone, account_suspended */
export async function accountOfLink(accounts: Accounts, { accountId }: { accountId: string | null }): Promise<Account> {
  const account = await accounts.find(accountId ?? '');
  if (!account) throw new AppError('invalid_link', 'The account of this link does not exist any more');
  if (account.suspended) throw new AppError('account_suspended', 'This account is suspended');
  return account;
}
