import type { Profile } from '#contract';
import { AppError } from '../errors.ts';
import type { Services } from './services.ts';

/** Returns the profile of the signed-in account. @throws not_logged_in if the account was deleted */
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
    limits: await accounts.limits.show(accountId),
    createdAt: createdAt.toISOString(),
  };
}
