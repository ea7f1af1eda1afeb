import type { Account, Accounts } from '../accounts/index.ts';
import { AppError } from '../errors.ts';

/** Finds the account of an email. @throws not_found */
export async function findAccount(accounts: Accounts, email: string): Promise<Account> {
  const account = await accounts.findByEmail(email);
  if (!account) throw new AppError('not_found', `No account with the email ${email}`);
  return account;
}

/** Finds the account of an API key. @throws not_found */
export async function ownerOf(accounts: Accounts, keyId: string): Promise<string> {
  const accountId = await accounts.keys.ownerOf(keyId);
  if (accountId === null) throw new AppError('not_found', `No API key ${keyId}`);
  return accountId;
}
