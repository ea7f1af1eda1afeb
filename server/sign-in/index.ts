// Owns how people get in: passwords, log-ins, one-time links, sign-up, and the mails about them. Must not know HTTP, jobs or credits.
import { type AccountOptions, LINK_PURPOSES, type Link, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '#contract';
import type { Accounts } from '../accounts/index.ts';
import type { Repositories } from '../db/index.ts';
import type { Mailer } from '../mail/index.ts';
import type { Logger } from '../observability/index.ts';
import { ownerOfLink } from './account-of-link.ts';
import { createAttempts } from './attempts.ts';
import { createBrowserSessions } from './browser-sessions.ts';
import { createClaims, PLACEHOLDER_EMAIL } from './claim.ts';
import type { SignInConfig } from './config.ts';
import { createEmailChange } from './email-change.ts';
import { createLinks } from './links.ts';
import { createNotices } from './notices.ts';
import type { SignInParts } from './parts.ts';
import { createPasswordHash } from './password-hash.ts';
import { createPasswords } from './passwords.ts';
import { createPasswordSignIn } from './sign-in.ts';
import { createSignUp } from './sign-up.ts';

export type { BrowserSessionCheck, BrowserSessions, OpenedBrowserSession } from './browser-sessions.ts';
export { PLACEHOLDER_EMAIL } from './claim.ts';
export { type SignInConfig, signInConfig } from './config.ts';
export type { Visitor } from './visitor.ts';

/** What {@link createSignIn} works with. */
export interface SignInDeps {
  repositories: Pick<Repositories, 'browserSessions' | 'oneTimeLinks' | 'notices'>;
  accounts: Accounts;
  mailer: Mailer;
  /** From `loadPepper`. */
  pepper: Buffer;
  config: SignInConfig & { SIGN_UP: 'open' | 'closed' };
  /** Base URL under which browsers reach the service. */
  publicUrl: () => string;
  logger: Logger;
  /** @default the clock */
  now?: () => Date;
  /** Monotonic clock, in milliseconds. @default performance.now */
  monotonicNow?: () => number;
}

const MINUTE_MS = 60_000;

/** Makes the ways in: `logins`, `signUp`, `passwords`, `claims`, `emailChange`, and the queue of mails. */
export function createSignIn(deps: SignInDeps) {
  const { repositories, accounts, mailer, pepper, config, publicUrl, logger } = deps;
  const { now = () => new Date(), monotonicNow = () => performance.now() } = deps;
  const browserSessions = createBrowserSessions({
    browserSessions: repositories.browserSessions,
    accounts,
    pepper,
    config,
    now,
  });
  const links = createLinks({
    links: repositories.oneTimeLinks,
    notices: repositories.notices,
    pepper,
    publicUrl,
    now,
  });
  const notices = createNotices({
    notices: repositories.notices,
    accounts,
    links,
    mailer,
    publicUrl,
    logger,
    now,
  });
  const parts: SignInParts = {
    accounts,
    browserSessions,
    links,
    notices,
    passwords: createPasswordHash(),
    guesses: createAttempts({ windowMs: 15 * MINUTE_MS, monotonicNow }),
    requests: createAttempts({ windowMs: 60 * MINUTE_MS, monotonicNow }),
  };
  const { signIn, confirm } = createPasswordSignIn(parts);
  const delivery = mailer.sends ? ('mail' as const) : ('operator' as const);
  return {
    browserSessions,
    signIn,
    /** Checks the password of somebody who is logged in. @throws AppError wrong_password, too_many_attempts */
    async confirmPassword(accountId: string, password: string): Promise<void> {
      await confirm(accountId, password);
    },
    signUp: createSignUp(parts, config.SIGN_UP),
    passwords: createPasswords(parts, { confirm }),
    claims: createClaims(parts),
    emailChange: createEmailChange(parts, { confirm }),

    /** How links arrive. */
    delivery,

    /** What somebody without an account can do. */
    options: (): AccountOptions => ({
      signUp: config.SIGN_UP,
      delivery,
      password: { minLength: PASSWORD_MIN_LENGTH, maxLength: PASSWORD_MAX_LENGTH },
    }),

    /** What a link is good for, without using it up. @throws AppError invalid_link */
    async readLink(token: string): Promise<Link> {
      const link = await links.read(token, [...LINK_PURPOSES]);
      if (link.accountId !== null) await ownerOfLink(accounts, link);
      const { purpose, email, expiresAt } = link;
      return { purpose, email, placeholderEmail: email === PLACEHOLDER_EMAIL, expiresAt: expiresAt.toISOString() };
    },

    /** Has the link of an account mailed to it; the link itself where nothing is mailed. */
    async invite({ id, email }: { id: string; email: string }): Promise<string | null> {
      if (!mailer.sends) return parts.links.create({ purpose: 'claim', accountId: id, email });
      await notices.order('invitation', email, id);
      return null;
    },

    /** Ends whatever lets somebody in as an account, and forgets what was to be mailed about it. */
    async forget(accountId: string, email: string): Promise<void> {
      await browserSessions.revokeAll(accountId);
      await notices.forget(email, accountId);
      await links.forget({ id: accountId, email });
    },

    /** Sends the mails that are due. */
    deliver: notices.deliver,
    close: notices.close,
  };
}

/** The ways in. */
export type SignIn = ReturnType<typeof createSignIn>;
