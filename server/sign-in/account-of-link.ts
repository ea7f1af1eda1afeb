import type { Account, Accounts } from '../accounts/index.ts';
import type { OneTimeLinkRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { invalidLink } from './links.ts';

type AccountLink = Pick<OneTimeLinkRecord, 'accountId' | 'purpose' | 'email' | 'role'>;

/**
 * Finds the account of a link and checks that the link still applies: a reset link must be for the account's current
 * address, and a link to a new address for the one that is pending.
 * @throws AppError invalid_link
 */
export async function ownerOfLink(accounts: Accounts, link: AccountLink): Promise<Account> {
  const { accountId, purpose, email, role } = link;
  const account = await accounts.find(accountId ?? '');
  if (!account) throw invalidLink();
  // Only the link of the first account sets a role. It is void once that account has a real address.
  if ((purpose === 'reset' || role) && email !== account.email) throw invalidLink();
  if (purpose === 'email' && email !== account.pendingEmail) throw invalidLink();
  return account;
}

/** Same as {@link ownerOfLink}, but rejects suspended accounts. @throws AppError invalid_link, account_suspended */
export async function accountOfLink(accounts: Accounts, link: AccountLink): Promise<Account> {
  const account = await ownerOfLink(accounts, link);
  if (account.suspended) throw new AppError('account_suspended', 'This account is suspended');
  return account;
}
