import { AppError } from '../errors.ts';
import { accountOfLink } from './account-of-link.ts';
import type { OpenedBrowserSession } from './browser-sessions.ts';
import { invalidLink } from './links.ts';
import type { SignInParts } from './parts.ts';
import { requireStrongPassword } from './password-rules.ts';
import type { PasswordSignIn } from './sign-in.ts';
import { type LinkPassword, MAILS_PER_HOUR } from './sign-up.ts';
import { networkOf, type Visitor } from './visitor.ts';

interface Owner {
  id: string;
  email: string;
}

interface PasswordChange {
  currentPassword: string;
  newPassword: string;
}

/** Makes what changes passwords. Whatever changes one ends every log-in, and begins a new one. */
export function createPasswords(parts: SignInParts, { confirm }: Pick<PasswordSignIn, 'confirm'>) {
  const { accounts, browserSessions, links, notices, passwords, requests } = parts;

  /** What follows when a hash was set; null when another one was set meanwhile. */
  async function begin(account: Owner, hash: string, visitor: Visitor): Promise<OpenedBrowserSession | null> {
    await browserSessions.revokeAll(account.id);
    // What somebody else may have asked for with the old password must not outlive it.
    await links.forget(account);
    await notices.order('password-changed', account.email, account.id);
    return browserSessions.openWith(account.id, hash, visitor);
  }

  async function change(account: Owner, wanted: PasswordChange, visitor: Visitor): Promise<OpenedBrowserSession> {
    const before = await confirm(account.id, wanted.currentPassword);
    requireStrongPassword(wanted.newPassword, account.email);
    const hash = await passwords.hash(wanted.newPassword);
    // There is another password now, or another hash of this one: that decides.
    if (!(await accounts.changePasswordHash(account.id, before, hash))) return change(account, wanted, visitor);
    const opened = await begin(account, hash, visitor);
    if (!opened) throw new AppError('wrong_password', 'The password was changed by somebody else meanwhile');
    return opened;
  }

  return {
    /** Has a link sent, if there is such an account. The same for every address. @throws AppError too_many_attempts */
    async requestReset(email: string, visitor: Visitor): Promise<void> {
      requests.take([{ key: networkOf(visitor.address), limit: MAILS_PER_HOUR }]);
      await notices.order('reset', email);
    },

    /** Sets a new password with a link. @throws AppError invalid_link, weak_password, account_suspended, overloaded */
    async reset({ token, password }: LinkPassword, visitor: Visitor): Promise<OpenedBrowserSession> {
      const account = await accountOfLink(accounts, await links.read(token, ['reset']));
      requireStrongPassword(password, account.email);
      const hash = await passwords.hash(password);
      await links.take(token, ['reset']);
      if (!(await accounts.setPasswordHash(account, hash))) throw invalidLink();
      const opened = await begin(account, hash, visitor);
      if (!opened) throw invalidLink();
      return opened;
    },

    /** Sets a new password with the old one. @throws AppError wrong_password, weak_password, too_many_attempts */
    change,
  };
}

/** What changes passwords. */
export type Passwords = ReturnType<typeof createPasswords>;
