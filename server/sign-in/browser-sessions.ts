import { CONFIRMED_MINUTES, type Login } from '#contract';
import type { Account, Accounts } from '../accounts/index.ts';
import type { BrowserSessionRecord, BrowserSessionRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { hashSecret, makeSecret, newId, secretHasForm } from '../ids.ts';
import { type CookieKind, describeVisitor, type Visitor } from './visitor.ts';

interface BrowserSessionsDeps {
  browserSessions: BrowserSessionRepository;
  accounts: Accounts;
  pepper: Buffer;
  config: { LOGIN_IDLE_HOURS: number; LOGIN_MAX_DAYS: number };
  now: () => Date;
}

/** A new browser session. `token` is not stored and cannot be read again. */
export interface OpenedBrowserSession {
  accountId: string;
  loginId: string;
  token: string;
  /** The only kind of cookie in which the token is accepted. */
  kind: CookieKind;
  /** Lifetime of the cookie in seconds; the service ends an idle session earlier. */
  maxAgeSeconds: number;
}

/** Result of checking a cookie. */
export type BrowserSessionCheck =
  /** `confirmed`: with the password, within the last `CONFIRMED_MINUTES`. */
  { outcome: 'valid'; loginId: string; account: Account; confirmed: boolean } | { outcome: 'unknown' | 'suspended' };

const TOUCH_INTERVAL_MS = 60_000;
const HOUR_MS = 3_600_000;
const CONFIRMED_MS = CONFIRMED_MINUTES * 60_000;

/**
 * Creates the browser sessions. The cookie holds 256 random bits and is looked up on each request, so ending a session,
 * suspending an account or changing a role takes effect at once.
 */
export function createBrowserSessions(deps: BrowserSessionsDeps) {
  const { browserSessions } = deps;
  return {
    /** Opens a session with a new token, never one sent by the browser. @throws AppError account_suspended */
    open: (accountId: string, visitor: Visitor): Promise<OpenedBrowserSession> => open(deps, accountId, visitor),

    /**
     * Opens a session for a user who proved the password of `passwordHash`; null if the account has another hash now.
     * A password change ends all sessions after setting the hash, so checking the hash after opening misses no change.
     */
    async openWith(accountId: string, passwordHash: string, visitor: Visitor): Promise<OpenedBrowserSession | null> {
      const opened = await open(deps, accountId, visitor);
      if ((await deps.accounts.passwordHashOf(accountId)) === passwordHash) return opened;
      await browserSessions.remove(accountId, opened.loginId);
      return null;
    },

    /** Checks a token, and the kind of the cookie that it came in, against the database. */
    check: (token: unknown, kind: CookieKind = 'secure'): Promise<BrowserSessionCheck> => check(deps, token, kind),

    /** Records that the user of a session has just given the password. @returns the end of the confirmation */
    async confirm(accountId: string, loginId: string): Promise<Date> {
      const at = deps.now();
      if (!(await browserSessions.confirm(accountId, loginId, at))) {
        throw new AppError('not_logged_in', 'This log-in has ended');
      }
      return new Date(at.getTime() + CONFIRMED_MS);
    },

    /** Ends the session of a token, if there is one of this kind. */
    async end(token: unknown, kind: CookieKind = 'secure'): Promise<void> {
      const session = await findLive(deps, token, kind);
      if (session) await browserSessions.remove(session.accountId, session._id);
    },

    /** Lists an account's sessions, newest first. */
    list: (accountId: string, currentId: string): Promise<Login[]> => list(deps, accountId, currentId),

    /** Ends one session of an account. @throws AppError not_found */
    async revoke(accountId: string, loginId: string): Promise<void> {
      if (!(await browserSessions.remove(accountId, loginId))) throw new AppError('not_found', `No log-in ${loginId}`);
    },

    /** Ends all sessions of an account except `except`. @returns the number of ended sessions */
    revokeAll: (accountId: string, except?: string): Promise<number> =>
      browserSessions.removeOfAccount(accountId, except),
  };
}

/** Browser sessions of all accounts. */
export type BrowserSessions = ReturnType<typeof createBrowserSessions>;

async function open(deps: BrowserSessionsDeps, accountId: string, visitor: Visitor): Promise<OpenedBrowserSession> {
  const { browserSessions, accounts, pepper, config, now } = deps;
  const owner = await accounts.findForSession(accountId);
  if (!owner) throw new AppError('not_found', `No account ${accountId}`);
  if (owner.account.suspended) throw new AppError('account_suspended', 'This account is suspended');
  const { cookie: kind = 'secure' } = visitor;
  const token = makeSecret('iws');
  const at = now();
  const maxMs = config.LOGIN_MAX_DAYS * 24 * HOUR_MS;
  const endsAt = new Date(at.getTime() + maxMs);
  const session: BrowserSessionRecord = {
    _id: newId('login'),
    hash: hashSecret(token, pepper),
    accountId,
    passwordVersion: owner.passwordVersion,
    cookie: kind,
    createdAt: at,
    lastSeenAt: at,
    expiresAt: expiryOf(deps, at, endsAt),
    endsAt,
    ...describeVisitor(visitor),
  };
  await browserSessions.insert(session);
  await accounts.noteSignIn(accountId);
  return { accountId, loginId: session._id, token, kind, maxAgeSeconds: Math.floor(maxMs / 1000) };
}

async function check(deps: BrowserSessionsDeps, token: unknown, kind: CookieKind): Promise<BrowserSessionCheck> {
  const session = await findLive(deps, token, kind);
  const owner = session && (await deps.accounts.findForSession(session.accountId));
  if (!session || !owner || !hasPasswordVersion(session, owner)) return { outcome: 'unknown' };
  const { account } = owner;
  if (account.suspended) return { outcome: 'suspended' };
  await noteUse(deps, session);
  return { outcome: 'valid', loginId: session._id, account, confirmed: isConfirmed(session, deps.now()) };
}

/** A confirmation in the future, after the clock was set back, does not count. */
function isConfirmed({ confirmedAt }: BrowserSessionRecord, at: Date): boolean {
  const age = confirmedAt ? at.getTime() - confirmedAt.getTime() : CONFIRMED_MS;
  return age >= 0 && age < CONFIRMED_MS;
}

async function findLive(
  { browserSessions, pepper, now }: BrowserSessionsDeps,
  token: unknown,
  kind: CookieKind,
): Promise<BrowserSessionRecord | null> {
  if (typeof token !== 'string' || !secretHasForm('iws', token)) return null;
  const session = await browserSessions.findByHash(hashSecret(token, pepper));
  if (!session || session.expiresAt <= now()) return null;
  return isOfKind(session, kind) ? session : null;
}

/** Sessions of earlier versions have no kind; none of theirs had the plain cookie of this machine. */
function isOfKind({ cookie }: BrowserSessionRecord, kind: CookieKind): boolean {
  return cookie === undefined ? kind !== 'local' : cookie === kind;
}

/** A new password ends older sessions in the same step, even if their records are not removed. */
function hasPasswordVersion({ passwordVersion = 0 }: BrowserSessionRecord, owner: { passwordVersion: number }) {
  return passwordVersion === owner.passwordVersion;
}

async function noteUse(deps: BrowserSessionsDeps, { _id, lastSeenAt, endsAt }: BrowserSessionRecord): Promise<void> {
  const at = deps.now();
  if (at.getTime() - lastSeenAt.getTime() < TOUCH_INTERVAL_MS) return;
  // A full disk must not reject requests that only read.
  await deps.browserSessions.touch(_id, at, expiryOf(deps, at, endsAt)).catch(() => {});
}

/** Returns the end of a session that is not used after `at`. */
function expiryOf({ config }: BrowserSessionsDeps, at: Date, endsAt: Date): Date {
  return new Date(Math.min(at.getTime() + config.LOGIN_IDLE_HOURS * HOUR_MS, endsAt.getTime()));
}

async function list(deps: BrowserSessionsDeps, accountId: string, currentId: string): Promise<Login[]> {
  const [found, owner] = await Promise.all([
    deps.browserSessions.list(accountId, deps.now()),
    deps.accounts.findForSession(accountId),
  ]);
  return found
    .filter((session) => owner && hasPasswordVersion(session, owner))
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    .map((session) => toLogin(session, currentId));
}

function toLogin(session: BrowserSessionRecord, currentId: string): Login {
  const { _id, createdAt, lastSeenAt, expiresAt, address, userAgent } = session;
  return {
    id: _id,
    current: _id === currentId,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    address,
    userAgent,
  };
}
