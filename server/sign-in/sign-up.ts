import { PLACEHOLDER_EMAIL } from '../accounts/index.ts';
import { AppError } from '../errors.ts';
import type { OpenedBrowserSession } from './browser-sessions.ts';
import { accountOfLink, invalidLink } from './links.ts';
import type { SignInParts } from './parts.ts';
import { requireStrongPassword } from './password-rules.ts';
import { networkOf, takeMail, type Visitor } from './visitor.ts';

/** Token of a link and the new password. */
export interface LinkPassword {
  token: string;
  password: string;
}

/**
 * Creates the sign-up: it mails a link, and the account is created when the link is opened. This reveals no existing
 * account and lets only the reader of the mail choose the password.
 */
export function createSignUp(parts: SignInParts, mode: 'open' | 'closed') {
  const { accounts, browserSessions, links, outbox, passwords, requests } = parts;

  const requireOpen = () => {
    if (mode === 'closed') {
      throw new AppError('sign_up_closed', 'Sign-up is closed; ask the operator for an account');
    }
  };

  return {
    /** Sends a link. Behaves the same for every address. @throws AppError sign_up_closed, too_many_attempts */
    async request(email: string, visitor: Visitor): Promise<void> {
      requireOpen();
      await takeMail(requests, networkOf(visitor.address));
      await outbox.queue('sign-up', email);
    },

    /** Creates the account. @throws AppError sign_up_closed, invalid_link, weak_password, email_taken, overloaded */
    async confirm({ token, password }: LinkPassword, visitor: Visitor): Promise<OpenedBrowserSession> {
      requireOpen();
      const { email } = await links.read(token, ['sign-up']);
      requireStrongPassword(password, email);
      const passwordHash = await passwords.hash(password);
      await links.take(token, ['sign-up']);
      const { id } = await accounts.create({ email, passwordHash });
      await links.forgetSignUps(email);
      return browserSessions.open(id, visitor);
    },
  };
}

/** Creates the claims: links that hand over the first account, or one made by an operator. */
export function createClaims({ accounts, browserSessions, links, passwords }: SignInParts) {
  return {
    /** Creates the claim link of an account. Whoever claims the first account becomes an operator. */
    async createLink(accountId: string): Promise<string> {
      const account = await accounts.find(accountId);
      if (!account) throw new AppError('not_found', `No account ${accountId}`);
      const { email } = account;
      const role = email === PLACEHOLDER_EMAIL ? ({ role: 'operator' } as const) : {};
      return links.create({ purpose: 'claim', accountId, email, ...role });
    },

    /**
     * Sets the password and role of the link's account, and its email address if that is the placeholder. Any other
     * address can only be changed by a link sent to the new one, which proves its owner.
     * @throws AppError invalid_link, weak_password, email_taken, account_suspended, overloaded; invalid_request if the
     *   email address is missing, or differs from the account's
     */
    async claim(
      { token, password, email }: LinkPassword & { email?: string | undefined },
      visitor: Visitor,
    ): Promise<OpenedBrowserSession> {
      const account = await accountOfLink(accounts, await links.read(token, ['claim']));
      const wanted = email ?? account.email;
      if (wanted === PLACEHOLDER_EMAIL) throw badEmail('expected your email address');
      if (wanted !== account.email && account.email !== PLACEHOLDER_EMAIL) {
        throw badEmail('expected the address of the account; it can be changed after logging in');
      }
      requireStrongPassword(password, wanted);
      const hash = await passwords.hash(password);
      const link = await links.take(token, ['claim']);
      const role = link.role ? { role: link.role } : {};
      let claimed = false;
      try {
        claimed = await accounts.claim(account, { email: wanted, passwordHash: hash, ...role });
      } catch (error) {
        // Safe even if only the response was lost: the link is void for an account that was claimed.
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
