import { type AccountRole, emailSchema } from '#contract';
import type { AccountRecord, AccountRepository, ClaimedFields } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Ledger } from './ledger.ts';
import type { Plans } from './plans.ts';

/** What {@link createDirectory} works with. */
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
  /** The address that it gets once the link that was sent there is opened. */
  pendingEmail: string | null;
  role: AccountRole;
  plan: string;
  /** `unclaimed`: nobody has set a password, so only its keys work. */
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

/** What an account is made from. */
export interface NewAccount {
  /** Known before, so that a repetition of the same request finds what an earlier attempt has made. */
  id?: string;
  email: string;
  plan?: string;
  passwordHash?: string | null;
}

/** Which accounts are wanted. */
export interface AccountSearch {
  search?: string | undefined;
  /** The last account of the page before. */
  cursor?: string | undefined;
  /** 1-200. */
  limit?: number;
}

/** How long an account waits for a new address: the day that the mail may take, and the day that its link is good for. */
const PENDING_EMAIL_MS = 48 * 3_600_000;

/** Makes the directory of accounts: who there is, on which plan, suspended or not. */
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
     * @param passwordHash from the log-in module; without one only its keys work
     * @throws AppError email_taken; invalid_request when the email is malformed or there is no such plan
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
      for (const hold of made.holds) await ledger.finish(id, hold);
      return known(made, id);
    },

    async find(accountId: string): Promise<Account | null> {
      return living(await accounts.find(accountId));
    },

    /** An account, and how many passwords were set for it: a log-in that began under another number has ended. */
    async findForSession(accountId: string): Promise<{ account: Account; passwordVersion: number } | null> {
      const record = await accounts.find(accountId);
      const account = living(record);
      return account && { account, passwordVersion: record?.passwordVersion ?? 0 };
    },

    /** Finds by email, whatever its case. */
    async findByEmail(email: string): Promise<Account | null> {
      return living(await accounts.findByEmail(email.trim().toLowerCase()));
    },

    /** Every account, in pages, in the order of the ids. */
    async *list(): AsyncGenerator<Account> {
      let last: string | undefined;
      for (;;) {
        const page = await accounts.list(500, last);
        for (const record of page) if (!record.deletedAt) yield toAccount(record);
        last = page.at(-1)?._id;
        if (last === undefined) return;
      }
    },

    /** A page of accounts in the order of their ids. @param search part of the email, or an id */
    async search({ search = '', cursor, limit = 50 }: AccountSearch) {
      const found = await accounts.search({ text: search, limit: limit + 1, afterId: cursor });
      const page = found.slice(0, limit).map(toAccount);
      return { accounts: page, nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null };
    },

    async setRole(accountId: string, role: AccountRole): Promise<Account> {
      return known(await accounts.setRole(accountId, role, now()), accountId);
    },

    /**
     * Gives an account to whoever claims it, whole or not at all. False when it is gone or has another address by now.
     * @throws AppError email_taken
     */
    async claim({ id, email }: Pick<Account, 'id' | 'email'>, claimed: ClaimedFields): Promise<boolean> {
      const fields = { ...claimed, email: cleanEmail(claimed.email) };
      const changed = await accounts.claim(id, email, fields, now());
      if (changed === 'taken') throw new AppError('email_taken', `The email ${claimed.email} has an account already`);
      return changed !== null;
    },

    /**
     * Notes the address that an account is to get, whoever has it; null: none. Another password drops it.
     * @param passwordHash of the password that it was asked for with
     * @returns false when the account has another one by now
     */
    async setPendingEmail(accountId: string, email: string | null, passwordHash: string): Promise<boolean> {
      const pending = email === null ? null : { email, endsAt: new Date(now().getTime() + PENDING_EMAIL_MS) };
      return (await accounts.setPendingEmail(accountId, pending, passwordHash)) !== null;
    },

    /** Gives an account the address that it waits for. False when it does not, or no longer. @throws AppError email_taken */
    async confirmEmail(accountId: string, email: string): Promise<boolean> {
      const changed = await accounts.confirmEmail(accountId, email, now());
      if (changed === 'taken') throw new AppError('email_taken', `The email ${email} has an account already`);
      return changed !== null;
    },

    /** Sets what the password of an account is checked against. False when it is gone or has another address by now. */
    async setPasswordHash({ id, email }: { id: string; email: string }, passwordHash: string): Promise<boolean> {
      return (await accounts.setPassword(id, passwordHash, now(), { email })) !== null;
    },

    /** Sets a new password in the place of the one with the hash `before`. False when that is not the account's any more. */
    async changePasswordHash(accountId: string, before: string, passwordHash: string): Promise<boolean> {
      return (await accounts.setPassword(accountId, passwordHash, now(), { passwordHash: before })) !== null;
    },

    /** Puts another hash of the same password in the place of `before`, if that is still there. */
    async renewPasswordHash(accountId: string, before: string, passwordHash: string): Promise<void> {
      await accounts.renewHash(accountId, before, passwordHash);
    },

    /** What a password is checked against; null when there is no such account, or nobody has set one. */
    async passwordHashOf(accountId: string): Promise<string | null> {
      const record = await accounts.find(accountId);
      return record && !record.deletedAt ? (record.passwordHash ?? null) : null;
    },

    /** Notes that somebody has logged in. */
    async noteSignIn(accountId: string): Promise<void> {
      await accounts.noteSignIn(accountId, now());
    },

    /** A suspended account's keys answer 403 from the next request on. */
    async setSuspended(accountId: string, suspended: boolean): Promise<Account> {
      const at = now();
      return known(await accounts.setSuspended(accountId, suspended ? at : null, at), accountId);
    },

    /**
     * Moves an account to a plan. Keys that are active stay so, also when the new plan allows fewer; no more can be made.
     * @throws AppError invalid_request when there is no such plan
     */
    async setPlan(accountId: string, plan: string): Promise<Account> {
      plans.require(plan);
      return known(await accounts.setPlan(accountId, plan, now()), accountId);
    },
  };
}

/** The directory of accounts. */
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
