import type { Login } from '#contract';
import { type Account, type Accounts, hashSecret, makeSecret, secretHasForm } from '../accounts/index.ts';
import type { LoginRecord, LoginRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { describeVisitor, type Visitor } from './visitor.ts';

/** What {@link createLogins} works with. */
export interface LoginsDeps {
  logins: LoginRepository;
  accounts: Accounts;
  pepper: Buffer;
  config: { LOGIN_IDLE_HOURS: number; LOGIN_MAX_DAYS: number };
  now: () => Date;
}

/** A log-in that has just begun. `token` is the one time that it is seen. */
export interface OpenedLogin {
  accountId: string;
  loginId: string;
  token: string;
  /** Seconds that the browser keeps the cookie; the service ends an unused log-in before that. */
  maxAgeSeconds: number;
}

/** What a presented cookie turned out to be. */
export type LoginCheck = { outcome: 'valid'; loginId: string; account: Account } | { outcome: 'unknown' | 'suspended' };

const TOUCH_INTERVAL_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * Makes the log-ins. The cookie holds 256 random bits that mean nothing; what they stand for is looked up at each
 * request, so that ending a log-in, suspending an account or changing a role counts at once.
 */
export function createLogins({ logins, accounts, pepper, config, now }: LoginsDeps) {
  const idleMs = config.LOGIN_IDLE_HOURS * HOUR_MS;
  const maxMs = config.LOGIN_MAX_DAYS * 24 * HOUR_MS;

  const endOf = (at: Date, endsAt: Date) => new Date(Math.min(at.getTime() + idleMs, endsAt.getTime()));

  async function findLive(token: unknown): Promise<LoginRecord | null> {
    if (typeof token !== 'string' || !secretHasForm('iws', token)) return null;
    const login = await logins.findByHash(hashSecret(token, pepper));
    return login && login.expiresAt > now() ? login : null;
  }

  /** A log-in ends in the very step that sets another password, whether or not its record is removed after that. */
  const isUnder = ({ passwordVersion = 0 }: LoginRecord, owner: { passwordVersion: number }) =>
    passwordVersion === owner.passwordVersion;

  async function noteUse({ _id, lastSeenAt, endsAt }: LoginRecord): Promise<void> {
    const at = now();
    if (at.getTime() - lastSeenAt.getTime() < TOUCH_INTERVAL_MS) return;
    // A full disk must not lock out who only wants to look.
    await logins.touch(_id, at, endOf(at, endsAt)).catch(() => {});
  }

  /** Begins a log-in with a token of its own, whatever the browser brought along. @throws AppError account_suspended */
  async function open(accountId: string, visitor: Visitor): Promise<OpenedLogin> {
    const owner = await accounts.findForLogin(accountId);
    if (!owner) throw new AppError('not_found', `No account ${accountId}`);
    if (owner.account.suspended) throw new AppError('account_suspended', 'This account is suspended');
    const token = makeSecret('iws');
    const at = now();
    const endsAt = new Date(at.getTime() + maxMs);
    const login: LoginRecord = {
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
    await logins.insert(login);
    await accounts.noteLogin(accountId);
    return { accountId, loginId: login._id, token, maxAgeSeconds: Math.floor(maxMs / 1000) };
  }

  return {
    open,

    /**
     * Begins a log-in of somebody who has shown the password of a hash; null when the account has another hash by now.
     * Whoever sets a password ends all log-ins after that. So one that looks after it was begun is either ended or sees it.
     */
    async openWith(accountId: string, passwordHash: string, visitor: Visitor): Promise<OpenedLogin | null> {
      const opened = await open(accountId, visitor);
      if ((await accounts.passwordHashOf(accountId)) === passwordHash) return opened;
      await logins.remove(accountId, opened.loginId);
      return null;
    },

    /** Checks a presented token against the database as it is now. */
    async check(token: unknown): Promise<LoginCheck> {
      const login = await findLive(token);
      const owner = login && (await accounts.findForLogin(login.accountId));
      if (!login || !owner || !isUnder(login, owner)) return { outcome: 'unknown' };
      const { account } = owner;
      if (account.suspended) return { outcome: 'suspended' };
      await noteUse(login);
      return { outcome: 'valid', loginId: login._id, account };
    },

    /** Ends the log-in of a token, if there is one. */
    async end(token: unknown): Promise<void> {
      const login = await findLive(token);
      if (login) await logins.remove(login.accountId, login._id);
    },

    /** An account's log-ins, the latest first. */
    async list(accountId: string, currentId: string): Promise<Login[]> {
      const [found, owner] = await Promise.all([logins.list(accountId, now()), accounts.findForLogin(accountId)]);
      return found
        .filter((login) => owner && isUnder(login, owner))
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
      if (!(await logins.remove(accountId, loginId))) throw new AppError('not_found', `No log-in ${loginId}`);
    },

    /** Ends all log-ins of an account, but for one if it is named. @returns how many */
    revokeAll: (accountId: string, except?: string): Promise<number> => logins.removeOfAccount(accountId, except),
  };
}

/** The log-ins of all accounts. */
export type Logins = ReturnType<typeof createLogins>;
