import type { Profile } from '#contract';
import { AppError } from '../errors.ts';
import type { Services } from './services.ts';

/** The account as it sees itself. @throws not_logged_in when it is gone */
export async function showProfile(accountId: string, { accounts }: Services): Promise<Profile> {
  const account = await accounts.find(accountId);
  if (!account) throw new AppError('not_logged_in', 'The account does not exist any more');
  const { email, pendingEmail, role, plan, balance, used, granted, keys, createdAt } = account;
  return {
    accountId,
    email,
    pendingEmail,
    role,
    plan,
    balance,
    used,
    granted,
    keys,
    createdAt: createdAt.toISOString(),
  };
}
