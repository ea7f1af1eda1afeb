import { AppError } from '../errors.ts';
import { accountOfLink } from './account-of-link.ts';
import type { OpenedBrowserSession } from './browser-sessions.ts';
import { invalidLink } from './links.ts';
import type { SignInParts } from './parts.ts';
import { requireStrongPassword } from './password-rules.ts';
import type { LinkPassword } from './sign-up.ts';
import type { Visitor } from './visitor.ts';

/** Mail address of the account that an empty database gets, until its owner sets their own. */
export const PLACEHOLDER_EMAIL = 'owner@imagewright.local';

/** Makes what gives an account to the person who holds its link: the first account, and those that operators make. */
export function createClaims({ accounts, browserSessions, links, passwords }: SignInParts) {
  return {
    /** Makes the link of an account. The first account, as long as nobody has claimed it, makes its owner an operator. */
    async createLink(accountId: string): Promise<string> {
      const account = await accounts.find(accountId);
      if (!account) throw new AppError('not_found', `No account ${accountId}`);
      const { email } = account;
      const role = email === PLACEHOLDER_EMAIL ? ({ role: 'operator' } as const) : {};
      return links.create({ purpose: 'claim', accountId, email, ...role });
    },

    /**
     * Sets the password and role of the link's account, and its mail address where it has only a made-up one. Any other
     * address is changed by a link that goes to the new one: nobody takes one that is not theirs, or learns who has it.
     * @throws AppError invalid_link, weak_password, email_taken, account_suspended, overloaded; invalid_request without
     *   a mail address where one is needed, or with another than the account's where it has one
     */
    async claim(
      { token, password, email }: LinkPassword & { email?: string | undefined },
      visitor: Visitor,
    ): Promise<OpenedBrowserSession> {
      const account = await accountOfLink(accounts, await links.read(token, ['claim']));
      const wanted = email ?? account.email;
      if (wanted === PLACEHOLDER_EMAIL) throw badEmail('expected your mail address');
      if (wanted !== account.email && account.email !== PLACEHOLDER_EMAIL) {
        throw badEmail('expected the address that the account has; it can be changed after logging in');
      }
      requireStrongPassword(password, wanted);
      const hash = await passwords.hash(password);
      const link = await links.take(token, ['claim']);
      const role = link.role ? { role: link.role } : {};
      let claimed = false;
      try {
        claimed = await accounts.claim(account, { email: wanted, passwordHash: hash, ...role });
      } catch (error) {
        // Also when only the answer was lost: a link that gives a role is of no use to an account that was claimed.
        await links.giveBack(link);
        throw error;
      }
      if (!claimed) throw invalidLink();
      await browserSessions.revokeAll(account.id);
      await links.forget({ id: account.id, email: wanted });
      const opened = await browserSessions.openWith(account.id, hash, visitor);
      if (!opened) throw invalidLink();
      return opened;
    },
  };
}

function badEmail(fault: string): AppError {
  return new AppError('invalid_request', `email: ${fault}`, { details: { errors: { email: [fault] } } });
}

/** What gives accounts to people. */
export type Claims = ReturnType<typeof createClaims>;
