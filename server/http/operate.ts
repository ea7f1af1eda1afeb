import type { Context } from 'koa';
import type { Account, Actor } from '../accounts/index.ts';
import { AppError } from '../errors.ts';
import { describeVisitor, type OperatorAction } from '../sign-in/index.ts';
import type { Services } from './handlers.ts';

/** Parts of a request that identify its operator. */
interface Origin {
  ctx: Pick<Context, 'ip'>;
  account: { id: string; email: string };
}

/** Returns the actor of a request for the operator log; `TRUST_PROXY` decides the address. */
export function actorOf({ ctx, account }: Origin): Actor {
  const { address } = describeVisitor({ address: ctx.ip, userAgent: '' });
  return { accountId: account.id, name: account.email, address };
}

/** Runs an operator's action with its line in the operator log and a mail to the account concerned. */
export function operate<Result>(
  origin: Origin,
  action: OperatorAction,
  { signIn }: Pick<Services, 'signIn'>,
  run: () => Promise<Result>,
): Promise<Result> {
  return signIn.operatorActions.run(actorOf(origin), action, run);
}

/** Runs an action on the own account; only that of an operator is logged and mailed. */
export function operateOnOwn<Result>(
  input: Origin & { isOperator: boolean },
  action: OperatorAction,
  services: Pick<Services, 'signIn'>,
  run: () => Promise<Result>,
): Promise<Result> {
  return input.isOperator ? operate(input, action, services, run) : run();
}

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

/**
 * Refuses an operation of an operator whose log-in was not confirmed with the password, so that a stolen cookie alone
 * changes no account and makes no key.
 * @throws AppError password_required
 */
export function requirePassword({ mustConfirm }: { mustConfirm: boolean }): void {
  if (mustConfirm) throw new AppError('password_required', 'Confirm this with your password');
}
