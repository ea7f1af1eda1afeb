import { type Actor, type LoggedAction, PLACEHOLDER_EMAIL } from '../accounts/index.ts';
import type { SignInParts } from './parts.ts';

/** An operator's action on an account. */
export interface OperatorAction extends LoggedAction {
  target: string;
}

/**
 * Creates the actions of operators: each is written to the operator log before it happens, and the account concerned is
 * mailed afterwards. Without a mail server, or with a placeholder address, no mail is sent.
 */
export function createOperatorActions({ accounts, outbox, logger }: SignInParts) {
  async function notify(action: OperatorAction): Promise<void> {
    const account = await accounts.find(action.target);
    if (!account || account.email === PLACEHOLDER_EMAIL) return;
    const { action: name, change = {} } = action;
    await outbox.queue('operator-change', account.email, account.id, { action: name, change });
  }

  return {
    /** Runs an action. @throws the error of the log or of the action */
    async run<Result>(actor: Actor, action: OperatorAction, run: () => Promise<Result>): Promise<Result> {
      const result = await accounts.operatorLog.record(actor, action, run);
      // The action has happened; a full outbox must not report it as failed.
      await notify(action).catch((error: unknown) =>
        logger.warn({ err: error, accountId: action.target }, 'a mail about an operator action could not be queued'),
      );
      return result;
    },
  };
}
