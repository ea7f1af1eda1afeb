import type { Account, Accounts } from '../accounts/index.ts';
import type { OneTimeLinkRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { invalidLink } from './links.ts';

type AccountLink = Pick<OneTimeLinkRecord, 'accountId' | 'purpose' | 'email' | 'role'>;

/**
 * The account that a link is about, as long as it wants what the link is for: who reads the mails of an address that it
 * has no more sets no password, and an address that it does not wait for any more is not made its own.
 * @throws AppError invalid_link
 */
export async function ownerOfLink(accounts: Accounts, link: AccountLink): Promise<Account> {
  const { accountId, purpose, email, role } = link;
  const account = await accounts.find(accountId ?? '');
  if (!account) throw invalidLink();
  // Only the link of the first account gives a role: it is for nobody once somebody has given that account an address.
  if ((purpose === 'reset' || role) && email !== account.email) throw invalidLink();
  if (purpose === 'email' && email !== account.pendingEmail) throw invalidLink();
  return account;
}

/** The same, for what is done with the link. @throws AppError invalid_link, account_suspended */
export async function accountOfLink(accounts: Accounts, link: AccountLink): Promise<Account> {
  const account = await ownerOfLink(accounts, link);
  if (account.suspended) throw new AppError('account_suspended', 'This account is suspended');
  return account;
}
