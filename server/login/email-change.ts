import { accountOfLink } from './account-of-link.ts';
import type { LogIn } from './log-in.ts';
import type { LoginParts } from './parts.ts';

/** Makes the change of a mail address: asked for with the password, done with the link that the new address gets. */
export function createEmailChange({ accounts, links, notices }: LoginParts, { confirm }: Pick<LogIn, 'confirm'>) {
  return {
    /**
     * Has a link sent to the new address; who has it already is not told to the one who asks.
     * @returns the address that waits for its link; null when the account has it already
     * @throws AppError wrong_password, too_many_attempts, overloaded
     */
    async request(
      account: { id: string; email: string },
      { email, password }: { email: string; password: string },
    ): Promise<string | null> {
      await confirm(account.id, password);
      await links.forget(account.id, ['email']);
      if (email === account.email) return null;
      await notices.order('email-change', email, account.id);
      return email;
    },

    /** Makes the new address the account's. @throws AppError invalid_link, email_taken */
    async confirm(token: string): Promise<string> {
      const link = await links.take(token, ['email']);
      const { email } = link;
      const account = await accountOfLink(accounts, link);
      await accounts.setEmail(account.id, email);
      // A link to set a new password may be on its way to the old address.
      await links.forget(account.id, ['reset', 'email']);
      await notices.order('email-changed', account.email, account.id);
      return email;
    },
  };
}

/** The change of mail addresses. */
export type EmailChange = ReturnType<typeof createEmailChange>;
