import type { LogAction } from '#contract';
import { AppError } from '../errors.ts';
import type { OpenedBrowserSession } from './browser-sessions.ts';
import { accountOfLink, invalidLink } from './links.ts';
import type { SignInParts } from './parts.ts';
import { requireStrongPassword } from './password-rules.ts';
import type { PasswordSignIn } from './sign-in.ts';
import type { LinkPassword } from './sign-up.ts';
import { describeVisitor, networkOf, takeMail, type Visitor } from './visitor.ts';

interface Owner {
  id: string;
  email: string;
}

interface PasswordChange {
  currentPassword: string;
  newPassword: string;
}

/** Creates the password changes. Each ends all browser sessions and opens a new one. */
export function createPasswords(parts: SignInParts, { confirm }: Pick<PasswordSignIn, 'confirm'>) {
  const { accounts, browserSessions, links, outbox, passwords, requests } = parts;

  /** Ends the old sessions after a hash was set and opens a new one; null if another hash was set meanwhile. */
  async function reopen(account: Owner, hash: string, visitor: Visitor): Promise<OpenedBrowserSession | null> {
    await browserSessions.revokeAll(account.id);
    // Links requested with the old password must not remain valid.
    await links.forget(account);
    await outbox.queue('password-changed', account.email, account.id);
    return browserSessions.openWith(account.id, hash, visitor);
  }

  /** Writes the operator log, then the hash; false if the account has another hash or address by now. */
  async function write(action: LogAction, accountId: string, visitor: Visitor, run: () => Promise<unknown>) {
    const overtaken = new AppError('wrong_password', 'The password was changed meanwhile');
    const actor = { accountId, name: null, address: describeVisitor(visitor).address };
    try {
      await accounts.operatorLog.record(actor, { action, target: accountId }, async () => {
        if (!(await run())) throw overtaken;
      });
      return true;
    } catch (error) {
      if (error === overtaken) return false;
      throw error;
    }
  }

  async function change(account: Owner, wanted: PasswordChange, visitor: Visitor): Promise<OpenedBrowserSession> {
    const before = await confirm(account.id, wanted.currentPassword, visitor);
    requireStrongPassword(wanted.newPassword, account.email);
    const hash = await passwords.hash(wanted.newPassword);
    // The password or its hash was replaced meanwhile: check against the new one.
    const written = await write('password.change', account.id, visitor, () =>
      accounts.changePasswordHash(account.id, before, hash),
    );
    if (!written) return change(account, wanted, visitor);
    const opened = await reopen(account, hash, visitor);
    if (!opened) throw new AppError('wrong_password', 'The password was changed in another session meanwhile');
    return opened;
  }

  return {
    /** Sends a reset link if the account exists. Behaves the same for every address. @throws AppError too_many_attempts */
    async requestReset(email: string, visitor: Visitor): Promise<void> {
      await takeMail(requests, networkOf(visitor.address));
      await outbox.queue('reset', email);
    },

    /** Sets a new password with a link. @throws AppError invalid_link, weak_password, account_suspended, overloaded */
    async reset({ token, password }: LinkPassword, visitor: Visitor): Promise<OpenedBrowserSession> {
      const account = await accountOfLink(accounts, await links.read(token, ['reset']));
      requireStrongPassword(password, account.email);
      const hash = await passwords.hash(password);
      await links.take(token, ['reset']);
      const written = await write('password.reset', account.id, visitor, () => accounts.setPasswordHash(account, hash));
      if (!written) throw invalidLink();
      const opened = await reopen(account, hash, visitor);
      if (!opened) throw invalidLink();
      return opened;
    },

    /** Sets a new password with the old one. @throws AppError wrong_password, weak_password, too_many_attempts */
    change,
  };
}
