import { AppError } from '../errors.ts';
import type { OpenedBrowserSession } from './browser-sessions.ts';
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

/** Sign-up. */
export type SignUp = ReturnType<typeof createSignUp>;
