import { z } from 'zod';
import type { AccountRecord, AccountRepository } from '../db/index.ts';
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
  plan: string;
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
}

const emailSchema = z.email().max(254);

/** Makes the directory of accounts: who there is, on which plan, suspended or not. */
export function createDirectory({ accounts, ledger, plans, now }: DirectoryDeps) {
  /** @throws AppError not_found */
  const known = (record: AccountRecord | null, name: string): Account => {
    if (!record) throw new AppError('not_found', `No account ${name}`);
    return toAccount(record);
  };

  const toAccount = (record: AccountRecord): Account => ({
    id: record._id,
    email: record.email,
    plan: record.plan,
    suspended: record.suspendedAt !== null,
    balance: record.balance,
    used: record.used,
    granted: record.granted,
    keys: { used: record.activeKeys.length, limit: plans.get(record.plan).keys },
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  });

  return {
    /**
     * Creates an account with its plan's sign-up credits.
     * @throws AppError invalid_request when the email is malformed or taken, or there is no such plan
     */
    async create({ email, plan = plans.defaultName }: { email: string; plan?: string }): Promise<Account> {
      const { signupCredits } = plans.require(plan);
      const id = newId('acct');
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
        createdAt: at,
        updatedAt: at,
      };
      if (!(await accounts.insert(record))) {
        throw new AppError('invalid_request', `The email ${record.email} has an account already`);
      }
      for (const hold of record.holds) await ledger.finish(id, hold);
      return toAccount(record);
    },

    async find(accountId: string): Promise<Account | null> {
      const record = await accounts.find(accountId);
      return record && toAccount(record);
    },

    /** Finds by email, whatever its case. */
    async findByEmail(email: string): Promise<Account | null> {
      const record = await accounts.findByEmail(email.trim().toLowerCase());
      return record && toAccount(record);
    },

    /** Every account, in pages, in the order of the ids. */
    async *list(): AsyncGenerator<Account> {
      let last: string | undefined;
      for (;;) {
        const page = await accounts.list(500, last);
        for (const record of page) yield toAccount(record);
        last = page.at(-1)?._id;
        if (last === undefined) return;
      }
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

function cleanEmail(email: string): string {
  const parsed = emailSchema.safeParse(email.trim().toLowerCase());
  if (!parsed.success) {
    throw new AppError('invalid_request', `expected an email address, but received ${JSON.stringify(email)}`);
  }
  return parsed.data;
}
