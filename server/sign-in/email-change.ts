import { AppError } from '../errors.ts';
import { accountOfLink, invalidLink } from './links.ts';
import type { SignInParts } from './parts.ts';
import type { PasswordSignIn } from './sign-in.ts';
import { takeMail, type Visitor } from './visitor.ts';

/** Creates the change of email addresses: requested with the password, confirmed by a link sent to the new address. */
export function createEmailChange(
  { accounts, links, outbox, requests }: SignInParts,
  { confirm }: Pick<PasswordSignIn, 'confirm'>,
) {
  async function request(
    account: { id: string; email: string },
    { email, password }: { email: string; password: string },
    visitor?: Visitor,
  ): Promise<void> {
    const hash = await confirm(account.id, password, visitor);
    const pending = email === account.email ? null : email;
    if (pending) await takeMail(requests, account.id);
    // The password or its hash was replaced meanwhile: check against the new one.
    if (!(await accounts.setPendingEmail(account.id, pending, hash)))
      return request(account, { email, password }, visitor);
    if (pending) await outbox.queue('email-change', pending, account.id);
  }

  return {
    /**
     * Marks the new address as pending and sends it a link. The account's own address cancels a pending change. The
     * response does not reveal whether another account has the address.
     * @throws AppError wrong_password, too_many_attempts, overloaded
     */
    request,

    /** Sets the pending address. @throws AppError invalid_link, email_taken, account_suspended */
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
      // A reset link may be on its way to the old address.
      await links.forget(account, ['reset', 'email']);
      await outbox.queue('email-changed', account.email, account.id);
      return email;
    },
  };
}
