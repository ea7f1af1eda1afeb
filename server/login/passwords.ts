import { accountOfLink } from './account-of-link.ts';
import type { LogIn } from './log-in.ts';
import type { OpenedLogin } from './logins.ts';
import type { LoginParts } from './parts.ts';
import { requireStrongPassword } from './password-rules.ts';
import { type LinkPassword, MAILS_PER_ADDRESS } from './sign-up.ts';
import { networkOf, type Visitor } from './visitor.ts';

/** Makes what changes passwords. Whatever changes one ends every log-in, and begins a new one. */
export function createPasswords(parts: LoginParts, { confirm }: Pick<LogIn, 'confirm'>) {
  const { accounts, logins, links, notices, passwords, requests } = parts;

  async function replace(accountId: string, email: string, hash: string, visitor: Visitor): Promise<OpenedLogin> {
    await accounts.setPasswordHash(accountId, hash);
    await logins.revokeAll(accountId);
    // What somebody else may have asked for with the old password must not outlive it.
    await links.forget(accountId);
    await notices.order('password-changed', email, accountId);
    return logins.open(accountId, visitor);
  }

  return {
    /** Has a link sent, if there is such an account. The same for every address. @throws AppError too_many_attempts */
    async requestReset(email: string, visitor: Visitor): Promise<void> {
      requests.take([{ key: networkOf(visitor.address), limit: MAILS_PER_ADDRESS }]);
      await notices.order('reset', email);
    },

    /** Sets a new password with a link. @throws AppError invalid_link, weak_password, account_suspended, overloaded */
    async reset({ token, password }: LinkPassword, visitor: Visitor): Promise<OpenedLogin> {
      const { id, email } = await accountOfLink(accounts, await links.read(token, ['reset']));
      requireStrongPassword(password, email);
      const hash = await passwords.hash(password);
      await links.take(token, ['reset']);
      return replace(id, email, hash, visitor);
    },

    /** Sets a new password with the old one. @throws AppError wrong_password, weak_password, too_many_attempts */
    async change(
      account: { id: string; email: string },
      { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
      visitor: Visitor,
    ): Promise<OpenedLogin> {
      await confirm(account.id, currentPassword);
      requireStrongPassword(newPassword, account.email);
      return replace(account.id, account.email, await passwords.hash(newPassword), visitor);
    },
  };
}

/** What changes passwords. */
export type Passwords = ReturnType<typeof createPasswords>;
