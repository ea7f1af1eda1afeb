import { AppError } from '../errors.ts';
import type { OpenedBrowserSession } from './browser-sessions.ts';
import type { SignInParts } from './parts.ts';
import { requireStrongPassword } from './password-rules.ts';
import { networkOf, type Visitor } from './visitor.ts';

/** A link and the password that is chosen with it. */
export interface LinkPassword {
  token: string;
  password: string;
}

/** Mails that one network address, or one account, may ask for in an hour. */
export const MAILS_PER_HOUR = 10;

/**
 * Makes the sign-up: a mail with a link, and an account once the link was opened. So nobody learns who has an account,
 * and the password is chosen by whoever reads the mail.
 */
export function createSignUp(parts: SignInParts, mode: 'open' | 'closed') {
  const { accounts, browserSessions, links, notices, passwords, requests } = parts;

  const requireOpen = () => {
    if (mode === 'closed') {
      throw new AppError('sign_up_closed', 'Nobody can sign up here by themselves; ask the operator for an account');
    }
  };

  return {
    /** Has a link sent. The same for every address. @throws AppError sign_up_closed, too_many_attempts */
    async request(email: string, visitor: Visitor): Promise<void> {
      requireOpen();
      requests.take([{ key: networkOf(visitor.address), limit: MAILS_PER_HOUR }]);
      await notices.order('sign-up', email);
    },

    /** Makes the account. @throws AppError sign_up_closed, invalid_link, weak_password, email_taken, overloaded */
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

/** The sign-up. */
export type SignUp = ReturnType<typeof createSignUp>;
