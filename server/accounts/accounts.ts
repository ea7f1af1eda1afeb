import { type AccountRole, emailSchema } from '#contract';
import type { AccountRecord, AccountRepository, ClaimedFields } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Ledger } from './ledger.ts';
import type { Plans } from './plans.ts';

/** Dependencies of {@link createDirectory}. */
export interface DirectoryDeps {
  accounts: AccountRepository;
  ledger: Ledger;
  plans: Plans;
  now: () => Date;
}

/** An account as the rest of the service sees it. */
export interface Account {
  id: string;
  email: string;
  /** Address that replaces `email` once its link is opened. */
  pendingEmail: string | null;
  role: AccountRole;
  plan: string;
  /** `unclaimed`: no password is set, so only API keys work. */
  state: 'active' | 'suspended' | 'unclaimed';
  suspended: boolean;
  /** Credits. */
  balance: number;
  /** Charges less refunds, in credits. */
  used: number;
  /** Sign-up credits and grants, in credits. */
  granted: number;
  keys: { used: number; limit: number };
  createdAt: Date;
  updatedAt: Date;
  lastLoginAt: Date | null;
}

/** An account to create. */
export interface NewAccount {
  /** Fixed by the caller, so that a repeated request finds the account of the first attempt. */
  id?: string;
  email: string;
  plan?: string;
  passwordHash?: string | null;
}

/** Filter and page of a search. */
export interface AccountSearch {
  search?: string | undefined;
  /** Id of the last account of the previous page. */
  cursor?: string | undefined;
  /** 1-200. */
  limit?: number;
}

/** Lifetime of a pending address: one day to deliver the mail and one day to use its link. */
const PENDING_EMAIL_MS = 48 * 3_600_000;

/** Creates the directory of accounts. */
export function createDirectory({ accounts, ledger, plans, now }: DirectoryDeps) {
  /** @throws AppError not_found */
  const known = (record: AccountRecord | null, name: string): Account => {
    if (!record || record.deletedAt) throw new AppError('not_found', `No account ${name}`);
    return toAccount(record);
  };

  const toAccount = (record: AccountRecord): Account => ({
    id: record._id,
    email: record.email,
    pendingEmail: pendingEmailOf(record, now()),
    role: record.role ?? 'user',
    plan: record.plan,
    state: stateOf(record),
    suspended: record.suspendedAt !== null,
    balance: record.balance,
    used: record.used,
    granted: record.granted,
    keys: { used: record.activeKeys.length, limit: plans.get(record.plan).keys },
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    lastLoginAt: record.lastLoginAt ?? null,
  });

  const living = (record: AccountRecord | null): Account | null =>
    record && !record.deletedAt ? toAccount(record) : null;

  return {
    /**
     * Creates an account with its plan's sign-up credits.
     * @param passwordHash from the sign-in module; without one only API keys work
     * @throws AppError email_taken; invalid_request if the email is malformed or the plan unknown
     */
    async create({
      id = newId('acct'),
      email,
      plan = plans.defaultName,
      passwordHash = null,
    }: NewAccount): Promise<Account> {
      const { signupCredits } = plans.require(plan);
      const at = now();
      const record: AccountRecord = {
        _id: id,
        email: cleanEmail(email),
        plan,
        suspendedAt: null,
        ...ledger.signup(id, signupCredits, at),
        used: 0,
        lanes: {},
        activeKeys: [],
        role: 'user',
        passwordHash,
        createdAt: at,
        updatedAt: at,
      };
      const made = (await accounts.insert(record)) ? record : await accounts.find(id);
      if (!made) throw new AppError('email_taken', `The email ${record.email} has an account already`);
      for (const entry of made.holds) await ledger.finish(id, entry);
      return known(made, id);
    },

    async find(accountId: string): Promise<Account | null> {
      return living(await accounts.find(accountId));
    },

    /** Finds an account and its password version; browser sessions of another version have ended. */
    async findForSession(accountId: string): Promise<{ account: Account; passwordVersion: number } | null> {
      const record = await accounts.find(accountId);
      const account = living(record);
      return account && { account, passwordVersion: record?.passwordVersion ?? 0 };
    },

    /** Finds an account by its email; case is ignored. */
    async findByEmail(email: string): Promise<Account | null> {
      return living(await accounts.findByEmail(email.trim().toLowerCase()));
    },

    /** Iterates over all accounts by id, reading pages. */
    async *list(): AsyncGenerator<Account> {
      let last: string | undefined;
      for (;;) {
        const page = await accounts.list(500, last);
        for (const record of page) if (!record.deletedAt) yield toAccount(record);
        last = page.at(-1)?._id;
        if (last === undefined) return;
      }
    },

    /** Returns a page of accounts by id. @param search part of the email, or an id */
    async search({ search = '', cursor, limit = 50 }: AccountSearch) {
      const found = await accounts.search({ text: search, limit: limit + 1, afterId: cursor });
      const page = found.slice(0, limit).map(toAccount);
      return { accounts: page, nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null };
    },

    async setRole(accountId: string, role: AccountRole): Promise<Account> {
      return known(await accounts.setRole(accountId, role, now()), accountId);
    },

    /**
     * Sets the claimed fields in one step. Returns false if the account is gone or has another address.
     * @throws AppError email_taken
     */
    async claim({ id, email }: Pick<Account, 'id' | 'email'>, claimed: ClaimedFields): Promise<boolean> {
      const fields = { ...claimed, email: cleanEmail(claimed.email) };
      const changed = await accounts.claim(id, email, fields, now());
      if (changed === 'taken') throw new AppError('email_taken', `The email ${claimed.email} has an account already`);
      return changed !== null;
    },

    /**
     * Stores the pending address of an account; null removes it. A new password removes it too.
     * @param passwordHash hash of the password that confirmed the request
     * @returns false if the account has another hash
     */
    async setPendingEmail(accountId: string, email: string | null, passwordHash: string): Promise<boolean> {
      const pending = email === null ? null : { email, endsAt: new Date(now().getTime() + PENDING_EMAIL_MS) };
      return (await accounts.setPendingEmail(accountId, pending, passwordHash)) !== null;
    },

    /** Sets the pending address. Returns false if it is not or no longer pending. @throws AppError email_taken */
    async confirmEmail(accountId: string, email: string): Promise<boolean> {
      const changed = await accounts.confirmEmail(accountId, email, now());
      if (changed === 'taken') throw new AppError('email_taken', `The email ${email} has an account already`);
      return changed !== null;
    },

    /** Sets the password hash. Returns false if the account is gone or has another address. */
    async setPasswordHash({ id, email }: { id: string; email: string }, passwordHash: string): Promise<boolean> {
      return (await accounts.setPassword(id, passwordHash, now(), { email })) !== null;
    },

    /** Replaces the password hash `before`. Returns false if the account has another hash. */
    async changePasswordHash(accountId: string, before: string, passwordHash: string): Promise<boolean> {
      return (await accounts.setPassword(accountId, passwordHash, now(), { passwordHash: before })) !== null;
    },

    /** Replaces `before` by another hash of the same password, if the account still has it. */
    async renewPasswordHash(accountId: string, before: string, passwordHash: string): Promise<void> {
      await accounts.renewHash(accountId, before, passwordHash);
    },

    /** Returns the password hash; null if the account does not exist or has no password. */
    async passwordHashOf(accountId: string): Promise<string | null> {
      const record = await accounts.find(accountId);
      return record && !record.deletedAt ? (record.passwordHash ?? null) : null;
    },

    /** Stores the time of a sign-in. */
    async noteSignIn(accountId: string): Promise<void> {
      await accounts.noteSignIn(accountId, now());
    },

    /** Suspends or resumes an account. Keys of a suspended account get 403 from the next request on. */
    async setSuspended(accountId: string, suspended: boolean): Promise<Account> {
      const at = now();
      return known(await accounts.setSuspended(accountId, suspended ? at : null, at), accountId);
    },

    /**
     * Sets the plan. Active keys stay active even if the new plan allows fewer.
     * @throws AppError invalid_request if the plan is unknown
     */
    async setPlan(accountId: string, plan: string): Promise<Account> {
      plans.require(plan);
      return known(await accounts.setPlan(accountId, plan, now()), accountId);
    },
  };
}

/** Directory of accounts. */
export type Directory = ReturnType<typeof createDirectory>;

function stateOf({ suspendedAt, passwordHash }: AccountRecord): Account['state'] {
  if (suspendedAt) return 'suspended';
  return passwordHash ? 'active' : 'unclaimed';
}

function pendingEmailOf({ pendingEmail }: AccountRecord, at: Date): string | null {
  return pendingEmail && pendingEmail.endsAt > at ? pendingEmail.email : null;
}

function cleanEmail(email: string): string {
  const parsed = emailSchema.safeParse(email);
  if (!parsed.success) {
    throw new AppError('invalid_request', `expected an email address, but received ${JSON.stringify(email)}`);
  }
  return parsed.data;
}
