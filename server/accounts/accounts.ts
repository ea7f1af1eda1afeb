import { type AccountRole, emailSchema } from '#contract';
import type { AccountRecord, AccountRepository, PendingEntryRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { type Ledger, newLineId } from './ledger.ts';
import type { Plans } from './plans.ts';

/** Email address of the first account until its owner sets their own. */
export const PLACEHOLDER_EMAIL = 'owner@imagewright.local';

interface DirectoryDeps {
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

/** Creates the directory of accounts. */
export function createDirectory(deps: DirectoryDeps) {
  const { accounts, plans, now } = deps;
  return {
    /**
     * Creates an account with its plan's sign-up credits.
     * @param passwordHash from the sign-in module; without one only API keys work
     * @throws AppError email_taken; invalid_request if the email is malformed or the plan unknown
     */
    create: (account: NewAccount): Promise<Account> => createAccount(deps, account),

    find: async (accountId: string): Promise<Account | null> => toLiving(deps, await accounts.find(accountId)),

    /** Finds an account and its password version; browser sessions of another version have ended. */
    findForSession: (accountId: string) => findForSession(deps, accountId),

    /** Finds an account by its email; case is ignored. */
    findByEmail: async (email: string): Promise<Account | null> =>
      toLiving(deps, await accounts.findByEmail(email.trim().toLowerCase())),

    /** Iterates over all accounts by id, reading pages. */
    list: (): AsyncGenerator<Account> => list(deps),

    /** Returns a page of accounts by id. @param search part of the email, or an id */
    search: (page: AccountSearch) => search(deps, page),

    setRole: async (accountId: string, role: AccountRole): Promise<Account> =>
      requireLiving(deps, await accounts.setRole(accountId, role, now()), accountId),

    /** Stores the time of a sign-in. */
    noteSignIn: (accountId: string): Promise<void> => accounts.noteSignIn(accountId, now()),

    /** Suspends or resumes an account. Keys of a suspended account get 403 from the next request on. */
    async setSuspended(accountId: string, suspended: boolean): Promise<Account> {
      const at = now();
      return requireLiving(deps, await accounts.setSuspended(accountId, suspended ? at : null, at), accountId);
    },

    /**
     * Sets the plan. Active keys stay active even if the new plan allows fewer.
     * @throws AppError invalid_request if the plan is unknown
     */
    async setPlan(accountId: string, plan: string): Promise<Account> {
      plans.require(plan);
      return requireLiving(deps, await accounts.setPlan(accountId, plan, now()), accountId);
    },
  };
}

/** Normalizes an email. @throws AppError invalid_request if it is malformed */
export function cleanEmail(email: string): string {
  const parsed = emailSchema.safeParse(email);
  if (!parsed.success) {
    throw new AppError('invalid_request', `expected an email address, but received ${JSON.stringify(email)}`);
  }
  return parsed.data;
}

async function createAccount(deps: DirectoryDeps, account: NewAccount): Promise<Account> {
  const { accounts, ledger, plans, now } = deps;
  const { id = newId('acct'), email, plan = plans.defaultName, passwordHash = null } = account;
  const { signupCredits } = plans.require(plan);
  const at = now();
  const record: AccountRecord = {
    _id: id,
    email: cleanEmail(email),
    plan,
    suspendedAt: null,
    ...signupFields(id, signupCredits, at),
    used: 0,
    lanes: {},
    activeKeys: [],
    role: 'user',
    passwordHash,
    createdAt: at,
    updatedAt: at,
  };
  const created = (await accounts.insert(record)) ? record : await accounts.find(id);
  if (!created) throw new AppError('email_taken', `The email ${record.email} has an account already`);
  for (const entry of created.holds) await ledger.finish(id, entry);
  return requireLiving(deps, created, id);
}

/** Returns the fields of a new account with its sign-up credits; {@link Ledger.finish} writes the entry. */
function signupFields(ref: string, amount: number, at: Date): Pick<AccountRecord, 'balance' | 'granted' | 'holds'> {
  const entry: PendingEntryRecord = { lineId: newLineId(0, at), kind: 'signup', ref, delta: amount, note: null, at };
  return { balance: amount, granted: amount, holds: amount === 0 ? [] : [entry] };
}

async function findForSession(
  deps: DirectoryDeps,
  accountId: string,
): Promise<{ account: Account; passwordVersion: number } | null> {
  const record = await deps.accounts.find(accountId);
  const account = toLiving(deps, record);
  return account && { account, passwordVersion: record?.passwordVersion ?? 0 };
}

async function* list(deps: DirectoryDeps): AsyncGenerator<Account> {
  let last: string | undefined;
  for (;;) {
    const page = await deps.accounts.list(500, last);
    for (const record of page) if (!record.deletedAt) yield toAccount(deps, record);
    last = page.at(-1)?._id;
    if (last === undefined) return;
  }
}

async function search(deps: DirectoryDeps, { search: text = '', cursor, limit = 50 }: AccountSearch) {
  const found = await deps.accounts.search({ text, limit: limit + 1, afterId: cursor });
  const page = found.slice(0, limit).map((record) => toAccount(deps, record));
  return { accounts: page, nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null };
}

/** @throws AppError not_found */
function requireLiving(deps: DirectoryDeps, record: AccountRecord | null, accountId: string): Account {
  const account = toLiving(deps, record);
  if (!account) throw new AppError('not_found', `No account ${accountId}`);
  return account;
}

function toLiving(deps: DirectoryDeps, record: AccountRecord | null): Account | null {
  return record && !record.deletedAt ? toAccount(deps, record) : null;
}

function toAccount({ plans, now }: DirectoryDeps, record: AccountRecord): Account {
  return {
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
  };
}

function stateOf({ suspendedAt, passwordHash }: AccountRecord): Account['state'] {
  if (suspendedAt) return 'suspended';
  return passwordHash ? 'active' : 'unclaimed';
}

function pendingEmailOf({ pendingEmail }: AccountRecord, at: Date): string | null {
  return pendingEmail && pendingEmail.endsAt > at ? pendingEmail.email : null;
}
