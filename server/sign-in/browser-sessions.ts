import type { Login } from '#contract';
import { type Account, type Accounts, hashSecret, makeSecret, secretHasForm } from '../accounts/index.ts';
import type { BrowserSessionRecord, BrowserSessionRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { describeVisitor, type Visitor } from './visitor.ts';

/** What {@link createBrowserSessions} works with. */
export interface BrowserSessionsDeps {
  browserSessions: BrowserSessionRepository;
  accounts: Accounts;
  pepper: Buffer;
  config: { LOGIN_IDLE_HOURS: number; LOGIN_MAX_DAYS: number };
  now: () => Date;
}

/** A log-in that has just begun. `token` is the one time that it is seen. */
export interface OpenedBrowserSession {
  accountId: string;
  loginId: string;
  token: string;
  /** Seconds that the browser keeps the cookie; the service ends an unused log-in before that. */
  maxAgeSeconds: number;
}

/** What a presented cookie turned out to be. */
export type BrowserSessionCheck =
  | { outcome: 'valid'; loginId: string; account: Account }
  | { outcome: 'unknown' | 'suspended' };

const TOUCH_INTERVAL_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * Makes the log-ins. The cookie holds 256 random bits that mean nothing; what they stand for is looked up at each
 * request, so that ending a log-in, suspending an account or changing a role counts at once.
 */
export function createBrowserSessions({ browserSessions, accounts, pepper, config, now }: BrowserSessionsDeps) {
  const idleMs = config.LOGIN_IDLE_HOURS * HOUR_MS;
  const maxMs = config.LOGIN_MAX_DAYS * 24 * HOUR_MS;

  const endOf = (at: Date, endsAt: Date) => new Date(Math.min(at.getTime() + idleMs, endsAt.getTime()));

  async function findLive(token: unknown): Promise<BrowserSessionRecord | null> {
    if (typeof token !== 'string' || !secretHasForm('iws', token)) return null;
    const session = await browserSessions.findByHash(hashSecret(token, pepper));
    return session && session.expiresAt > now() ? session : null;
  }

  /** A log-in ends in the very step that sets another password, whether or not its record is removed after that. */
  const isUnder = ({ passwordVersion = 0 }: BrowserSessionRecord, owner: { passwordVersion: number }) =>
    passwordVersion === owner.passwordVersion;

  async function noteUse({ _id, lastSeenAt, endsAt }: BrowserSessionRecord): Promise<void> {
    const at = now();
    if (at.getTime() - lastSeenAt.getTime() < TOUCH_INTERVAL_MS) return;
    // A full disk must not lock out who only wants to look.
    await browserSessions.touch(_id, at, endOf(at, endsAt)).catch(() => {});
  }

  /** Begins a log-in with a token of its own, whatever the browser brought along. @throws AppError account_suspended */
  async function open(accountId: string, visitor: Visitor): Promise<OpenedBrowserSession> {
    const owner = await accounts.findForSession(accountId);
    if (!owner) throw new AppError('not_found', `No account ${accountId}`);
    if (owner.account.suspended) throw new AppError('account_suspended', 'This account is suspended');
    const token = makeSecret('iws');
    const at = now();
    const endsAt = new Date(at.getTime() + maxMs);
    const session: BrowserSessionRecord = {
      _id: newId('login'),
      hash: hashSecret(token, pepper),
      accountId,
      passwordVersion: owner.passwordVersion,
      createdAt: at,
      lastSeenAt: at,
      expiresAt: endOf(at, endsAt),
      endsAt,
      ...describeVisitor(visitor),
    };
    await browserSessions.insert(session);
    await accounts.noteSignIn(accountId);
    return { accountId, loginId: session._id, token, maxAgeSeconds: Math.floor(maxMs / 1000) };
  }

  return {
    open,

    /**
     * Begins a log-in of somebody who has shown the password of a hash; null when the account has another hash by now.
     * Whoever sets a password ends all log-ins after that. So one that looks after it was begun is either ended or sees it.
     */
    async openWith(accountId: string, passwordHash: string, visitor: Visitor): Promise<OpenedBrowserSession | null> {
      const opened = await open(accountId, visitor);
      if ((await accounts.passwordHashOf(accountId)) === passwordHash) return opened;
      await browserSessions.remove(accountId, opened.loginId);
      return null;
    },

    /** Checks a presented token against the database as it is now. */
    async check(token: unknown): Promise<BrowserSessionCheck> {
      const session = await findLive(token);
      const owner = session && (await accounts.findForSession(session.accountId));
      if (!session || !owner || !isUnder(session, owner)) return { outcome: 'unknown' };
      const { account } = owner;
      if (account.suspended) return { outcome: 'suspended' };
      await noteUse(session);
      return { outcome: 'valid', loginId: session._id, account };
    },

    /** Ends the log-in of a token, if there is one. */
    async end(token: unknown): Promise<void> {
      const session = await findLive(token);
      if (session) await browserSessions.remove(session.accountId, session._id);
    },

    /** An account's log-ins, the latest first. */
    async list(accountId: string, currentId: string): Promise<Login[]> {
      const [found, owner] = await Promise.all([
        browserSessions.list(accountId, now()),
        accounts.findForSession(accountId),
      ]);
      return found
        .filter((session) => owner && isUnder(session, owner))
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
        .map(({ _id, createdAt, lastSeenAt, expiresAt, address, userAgent }) => ({
          id: _id,
          current: _id === currentId,
          createdAt: createdAt.toISOString(),
          lastSeenAt: lastSeenAt.toISOString(),
          expiresAt: expiresAt.toISOString(),
          address,
          userAgent,
        }));
    },

    /** Ends one log-in of an account. @throws AppError not_found */
    async revoke(accountId: string, loginId: string): Promise<void> {
      if (!(await browserSessions.remove(accountId, loginId))) throw new AppError('not_found', `No log-in ${loginId}`);
    },

    /** Ends all log-ins of an account, but for one if it is named. @returns how many */
    revokeAll: (accountId: string, except?: string): Promise<number> =>
      browserSessions.removeOfAccount(accountId, except),
  };
}

/** The log-ins of all accounts. */
export type BrowserSessions = ReturnType<typeof createBrowserSessions>;
