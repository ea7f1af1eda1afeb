// Owns sign-in: passwords, browser sessions, one-time links, sign-up and their mails. Must not know HTTP, jobs or credits.
import { type AccountOptions, LINK_PURPOSES, type Link, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '#contract';
import { type Account, type Accounts, PLACEHOLDER_EMAIL } from '../accounts/index.ts';
import { createBudget, type SharedCounters } from '../budgets/index.ts';
import type { Repositories } from '../db/index.ts';
import type { Mailer } from '../mail/index.ts';
import type { Logger } from '../observability/index.ts';
import { createBrowserSessions } from './browser-sessions.ts';
import type { SignInConfig } from './config.ts';
import { createEmailChange } from './email-change.ts';
import { createLinks, ownerOfLink } from './links.ts';
import { createMailOutbox, INVITATION_HOURS } from './mail-outbox.ts';
import { createOperatorActions } from './operator-actions.ts';
import type { SignInParts } from './parts.ts';
import { createPasswordHash, type PasswordHash } from './password-rules.ts';
import { createPasswords } from './passwords.ts';
import { createPasswordSignIn } from './sign-in.ts';
import { createClaims, createSignUp } from './sign-up.ts';
import type { Visitor } from './visitor.ts';

export type { BrowserSessionCheck, BrowserSessions, OpenedBrowserSession } from './browser-sessions.ts';
export { type SignInConfig, signInConfig } from './config.ts';
export type { OperatorAction } from './operator-actions.ts';
export type { PasswordHash } from './password-rules.ts';
export { type CookieKind, describeVisitor, type Visitor } from './visitor.ts';

/** Dependencies of {@link createSignIn}. */
export interface SignInDeps {
  repositories: Pick<Repositories, 'browserSessions' | 'oneTimeLinks' | 'mails'>;
  /** Counts that all servers share; absent: this process is the only one. */
  counters?: SharedCounters | undefined;
  accounts: Accounts;
  mailer: Mailer;
  /** From `loadPepper`. */
  pepper: Buffer;
  config: SignInConfig & { SIGN_UP: 'open' | 'closed' };
  /** Base URL under which browsers reach the service. */
  publicUrl: () => string;
  logger: Logger;
  /** @default hashes of the recommended cost */
  passwords?: PasswordHash | undefined;
  /** @default the clock */
  now?: () => Date;
  /** Monotonic clock, in milliseconds. @default performance.now */
  monotonicNow?: () => number;
}

/** Creates sign-in with `browserSessions`, `signUp`, `passwords`, `claims`, `emailChange` and the mail outbox. */
export function createSignIn(deps: SignInDeps) {
  const { mailer, config } = deps;
  const parts = createParts(deps);
  const { browserSessions, links, outbox } = parts;
  const { signIn, confirm } = createPasswordSignIn(parts);
  const delivery = mailer.sends ? ('mail' as const) : ('operator' as const);
  return {
    browserSessions,
    signIn,
    /** Checks the password of a signed-in user. @throws AppError wrong_password, too_many_attempts */
    async confirmPassword(accountId: string, password: string, visitor?: Visitor): Promise<void> {
      await confirm(accountId, password, visitor);
    },
    signUp: createSignUp(parts, config.SIGN_UP),
    passwords: createPasswords(parts, { confirm }),
    claims: createClaims(parts),
    emailChange: createEmailChange(parts, { confirm }),
    operatorActions: createOperatorActions(parts),

    /** Delivery of links: by mail, or printed for the operator. */
    delivery,

    /** Options of a visitor without an account. */
    options: (): Omit<AccountOptions, 'descriptions'> => ({
      signUp: config.SIGN_UP,
      delivery,
      password: { minLength: PASSWORD_MIN_LENGTH, maxLength: PASSWORD_MAX_LENGTH },
    }),

    /** Reads a link without using it. @throws AppError invalid_link */
    readLink: (token: string): Promise<Link> => readLink(parts, token),

    /** Mails an account its claim link; without a mail server it returns the link. */
    async invite({ id, email }: { id: string; email: string }): Promise<string | null> {
      if (!mailer.sends) return links.create({ purpose: 'claim', accountId: id, email, hours: INVITATION_HOURS });
      await outbox.queue('invitation', email, id);
      return null;
    },

    /**
     * Mails an account a link to set its password, or returns it: that of an invitation if it has no password, else that
     * of a reset.
     */
    async newLink({ id, email, state }: Pick<Account, 'id' | 'email' | 'state'>): Promise<string | null> {
      if (state === 'unclaimed') return this.invite({ id, email });
      if (!mailer.sends) return links.create({ purpose: 'reset', accountId: id, email });
      await outbox.queue('reset', email);
      return null;
    },

    /** Mails that were not sent yet, and whether any are sent at all. */
    mailState: async () => ({ sends: mailer.sends, ...(await outbox.unsent()) }),

    /** Ends all sessions and links of an account and removes its mails. */
    async forget(accountId: string, email: string): Promise<void> {
      await browserSessions.revokeAll(accountId);
      await outbox.forget(email, accountId);
      await links.forget({ id: accountId, email });
    },

    /** Sends the mails that are due. */
    deliver: outbox.deliver,
    close: outbox.close,
  };
}

/** Sign-in. */
export type SignIn = ReturnType<typeof createSignIn>;

function createParts(deps: SignInDeps): SignInParts {
  const { accounts, mailer, pepper, config, publicUrl, logger, counters } = deps;
  const { passwords = createPasswordHash(), now = () => new Date(), monotonicNow } = deps;
  const { browserSessions, oneTimeLinks, mails } = deps.repositories;
  const budget = (name: string) => createBudget({ name }, { counters, now, monotonicNow });
  const links = createLinks({ links: oneTimeLinks, mails, pepper, publicUrl, now });
  return {
    accounts,
    browserSessions: createBrowserSessions({ browserSessions, accounts, pepper, config, now }),
    links,
    outbox: createMailOutbox({ mails, accounts, links, mailer, publicUrl, logger, now }),
    logger,
    passwords,
    guesses: budget('guesses'),
    requests: budget('mails'),
  };
}

async function readLink({ accounts, links }: SignInParts, token: string): Promise<Link> {
  const link = await links.read(token, [...LINK_PURPOSES]);
  if (link.accountId !== null) await ownerOfLink(accounts, link);
  const { purpose, email, expiresAt } = link;
  return { purpose, email, placeholderEmail: email === PLACEHOLDER_EMAIL, expiresAt: expiresAt.toISOString() };
}
