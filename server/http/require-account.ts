import type { Account } from '../accounts/index.ts';
import { AppError } from '../errors.ts';
import type { Services } from './services.ts';

/** Finds an account that an operator names. @throws AppError not_found */
export async function requireAccount(accountId: string, { accounts }: Pick<Services, 'accounts'>): Promise<Account> {
  const account = await accounts.find(accountId);
  if (!account) throw new AppError('not_found', `No account ${accountId}`);
  return account;
}

/** Refuses what operators cannot do to themselves, so that one always remains. @throws AppError own_account */
export function requireOther(ownId: string, targetId: string): void {
  if (ownId === targetId) throw new AppError('own_account', 'You cannot do this to your own account');
}
