import { AppError } from '../errors.ts';
import { accountOfLink } from './account-of-link.ts';
import { invalidLink } from './links.ts';
import type { SignInParts } from './parts.ts';
import type { PasswordSignIn } from './sign-in.ts';
import { MAILS_PER_HOUR } from './sign-up.ts';

/** Makes the change of a mail address: asked for with the password, done with the link that the new address gets. */
export function createEmailChange(
  { accounts, links, notices, requests }: SignInParts,
  { confirm }: Pick<PasswordSignIn, 'confirm'>,
) {
  async function request(
    account: { id: string; email: string },
    { email, password }: { email: string; password: string },
  ): Promise<void> {
    const hash = await confirm(account.id, password);
    const pending = email === account.email ? null : email;
    if (pending) requests.take([{ key: account.id, limit: MAILS_PER_HOUR }]);
    // There is another password now, or another hash of this one: that decides.
    if (!(await accounts.setPendingEmail(account.id, pending, hash))) return request(account, { email, password });
    if (pending) await notices.order('email-change', pending, account.id);
  }

  return {
    /**
     * Has a link sent to the new address, which the account waits for from now on; its own address: for none. Who has it
     * already is not told to the one who asks.
     * @throws AppError wrong_password, too_many_attempts, overloaded
     */
    request,

    /** Makes the new address the account's. @throws AppError invalid_link, email_taken, account_suspended */
    async confirm(token: string): Promise<string> {
      const account = await accountOfLink(accounts, await links.read(token, ['email']));
      const link = await links.take(token, ['email']);
      const { email } = link;
      try {
        if (!(await accounts.confirmEmail(account.id, email))) throw invalidLink();
      } catch (error) {
        if (error instanceof AppError && error.code === 'email_taken') await links.giveBack(link);
        throw error;
      }
      // A link to set a new password may be on its way to the old address.
      await links.forget(account, ['reset', 'email']);
      await notices.order('email-changed', account.email, account.id);
      return email;
    },
  };
}

/** The change of mail addresses. */
export type EmailChange = ReturnType<typeof createEmailChange>;
