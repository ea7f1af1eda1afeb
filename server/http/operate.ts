import type { Context } from 'koa';
import type { Actor } from '../accounts/index.ts';
import { describeVisitor, type OperatorAction } from '../sign-in/index.ts';
import type { Services } from './services.ts';

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
