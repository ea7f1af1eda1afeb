import type { Model, mongo } from 'mongoose';
import { type AccountRole, PLAN_LIMITS } from '#contract';
import { insertNew, plainCollection, unlessDuplicate } from '../collection.ts';
import type { Connection } from '../connect.ts';
import {
  type AccountRecord,
  accountSchema,
  type DailyUseRecord,
  DELETED_ACCOUNT,
  type PendingEmailRecord,
  type StoredCounter,
} from './account-record.ts';
import { creditChanges } from './ledger.ts';

/** Fields set by the claim of an account. */
export type ClaimedFields = Pick<AccountRecord, 'email'> & { passwordHash: string; role?: AccountRole };

type AccountModel = Model<AccountRecord>;

/** Accounts, their credits and the list of their active keys. */
export function createAccountRepository(connection: Connection) {
  const model = connection.model<AccountRecord>('Account', accountSchema);
  const collection = plainCollection<AccountRecord>(model);

  return {
    ...accountLookups(model, collection),
    ...signInChanges(model),
    ...accountChanges(model),
    ...activeKeys(model),
    ...creditChanges(model),
    ...dailyUse(model),
    ...accountFigures(model),
  };
}

/** Access to stored accounts. */
export type AccountRepository = ReturnType<typeof createAccountRepository>;

/** Finds accounts. */
function accountLookups(model: AccountModel, collection: mongo.Collection<AccountRecord>) {
  return {
    async find(accountId: string): Promise<AccountRecord | null> {
      return collection.findOne({ _id: accountId }, { projection: { days: 0 } });
    },

    /** Returns the credits spent by day (`2026-01-31`, UTC), charges less refunds, of this year and the one before. */
    async spendingByDay(accountId: string): Promise<{ day: string; credits: number }[]> {
      const found = await collection.findOne({ _id: accountId }, { projection: { days: 1 } });
      return Object.entries(found?.days ?? {}).flatMap(([year, days]) =>
        Object.entries(days).map(([day, credits]) => ({ day: `${year}-${day}`, credits })),
      );
    },

    async findByEmail(email: string): Promise<AccountRecord | null> {
      return model.findOne({ email }).lean();
    },

    /** Lists up to `limit` accounts by id, after `afterId`. */
    async list(limit: number, afterId = ''): Promise<AccountRecord[]> {
      return model
        .find({ _id: { $gt: afterId } })
        .sort({ _id: 1 })
        .limit(limit)
        .lean();
    },

    /** Lists up to `limit` accounts by id whose email contains `text` or whose id it is, without tombstones. */
    async search({ text, limit, afterId = '' }: { text: string; limit: number; afterId?: string | undefined }) {
      const wanted = text.replace(/[^0-9A-Za-z]/g, '\\$&');
      const named = text === '' ? {} : { $or: [{ _id: text }, { email: { $regex: wanted.toLowerCase() } }] };
      const found: AccountRecord[] = await model
        .find({ _id: { $gt: afterId }, deletedAt: null, ...named })
        .sort({ _id: 1 })
        .limit(limit)
        .lean();
      return found;
    },

    /** Returns the emails of those of the accounts that exist, by id. */
    async emailsOf(accountIds: string[]): Promise<Map<string, string>> {
      const found = await model
        .find({ _id: { $in: accountIds }, deletedAt: null })
        .select({ email: 1 })
        .lean();
      return new Map(found.map(({ _id, email }) => [_id, email]));
    },

    /** Lists tombstoned accounts, whose data may not be fully removed. */
    async findDeleted(limit: number): Promise<AccountRecord[]> {
      return model.find({ deletedAt: DELETED_ACCOUNT }).limit(limit).lean();
    },

    /** Lists accounts with a pending entry older than `before` or, after a clock change, later than `now`. */
    async findWithHolds(before: Date, now: Date, limit: number): Promise<AccountRecord[]> {
      // Two queries, each on its own part of the index.
      const found = [];
      for (const at of [{ $lte: before }, { $gt: now }])
        found.push(...(await model.find({ 'holds.at': at }).limit(limit).lean()));
      return found;
    },
  };
}

/** Changes what an account signs in with. */
function signInChanges(model: AccountModel) {
  return {
    /** Sets a new password and atomically ends the browser sessions and the pending change of address. */
    async setPassword(
      accountId: string,
      passwordHash: string,
      now: Date,
      where: Partial<Pick<AccountRecord, 'email' | 'passwordHash'>>,
    ): Promise<AccountRecord | null> {
      const fields = { passwordHash, pendingEmail: null, updatedAt: now };
      return update(model, accountId, fields, where, { $inc: { passwordVersion: 1 } });
    },

    /** Replaces the hash of the same password. */
    async renewHash(accountId: string, before: string, passwordHash: string): Promise<void> {
      await update(model, accountId, { passwordHash }, { passwordHash: before });
    },

    /**
     * Claims the account that has the address `before`, atomically. Ends browser sessions and a pending change of address.
     * `taken`: another account has this email.
     */
    async claim(accountId: string, before: string, claimed: ClaimedFields, now: Date) {
      const fields = { ...claimed, pendingEmail: null, updatedAt: now };
      return updateEmail(model, accountId, fields, { email: before }, { $inc: { passwordVersion: 1 } });
    },

    /** Stores the address to be confirmed; null if the password has changed since `passwordHash`. */
    async setPendingEmail(
      accountId: string,
      pendingEmail: PendingEmailRecord | null,
      passwordHash: string,
    ): Promise<AccountRecord | null> {
      return update(model, accountId, { pendingEmail }, { passwordHash });
    },

    /** Replaces the address by the pending one; null if it is not pending or has expired. `taken`: another account has it. */
    async confirmEmail(accountId: string, email: string, now: Date): Promise<AccountRecord | null | 'taken'> {
      const waits = { 'pendingEmail.email': email, 'pendingEmail.endsAt': { $gt: now } };
      return updateEmail(model, accountId, { email, pendingEmail: null, updatedAt: now }, waits);
    },

    async noteSignIn(accountId: string, lastLoginAt: Date): Promise<void> {
      await model.updateOne({ _id: accountId, deletedAt: null }, { $set: { lastLoginAt } });
    },
  };
}

/** Creates, changes and removes accounts. */
function accountChanges(model: AccountModel) {
  return {
    /** Inserts an account; false if its email is taken. */
    insert: (account: AccountRecord): Promise<boolean> => insertNew(model, account),

    async setRole(accountId: string, role: AccountRole, now: Date): Promise<AccountRecord | null> {
      return update(model, accountId, { role, updatedAt: now });
    },

    async setPlan(accountId: string, plan: string, now: Date): Promise<AccountRecord | null> {
      return update(model, accountId, { plan, updatedAt: now });
    },

    async setSuspended(accountId: string, suspendedAt: Date | null, now: Date): Promise<AccountRecord | null> {
      return update(model, accountId, { suspendedAt, updatedAt: now });
    },

    /** Tombstones the account: no keys, no password, its email free for others. False if it was tombstoned before. */
    async markDeleted(accountId: string, deletedAt: Date): Promise<boolean> {
      const email = `deleted:${accountId}`;
      const nothing = { activeKeys: [], passwordHash: null, pendingEmail: null, role: 'user' as const };
      const changed = await update(model, accountId, { deletedAt, email, ...nothing });
      return changed !== null;
    },

    /** Removes a tombstoned account. */
    async removeDeleted(accountId: string): Promise<void> {
      await model.deleteOne({ _id: accountId, deletedAt: DELETED_ACCOUNT });
    },
  };
}

/** Changes the list of an account's active keys. */
function activeKeys(model: AccountModel) {
  return {
    /** Activates a key if fewer than `limit` are active; null if it is active already or the limit is reached. */
    async addActiveKey(accountId: string, keyId: string, limit: number): Promise<AccountRecord | null> {
      return model
        .findOneAndUpdate(
          {
            _id: accountId,
            deletedAt: null,
            activeKeys: { $ne: keyId },
            [`activeKeys.${Math.max(0, limit - 1)}`]: { $exists: false },
          },
          { $push: { activeKeys: keyId } },
          { returnDocument: 'after' },
        )
        .lean();
    },

    /** Deactivates a key; false if it was not active. */
    async removeActiveKey(accountId: string, keyId: string): Promise<boolean> {
      const updated = await model.updateOne({ _id: accountId, activeKeys: keyId }, { $pull: { activeKeys: keyId } });
      return updated.matchedCount === 1;
    },
  };
}

/** Updates an account that matches `where`; null if none does. */
async function update(
  model: AccountModel,
  accountId: string,
  fields: Partial<AccountRecord>,
  where = {},
  others = {},
): Promise<AccountRecord | null> {
  const living = { ...where, _id: accountId, deletedAt: null };
  return model.findOneAndUpdate(living, { $set: fields, ...others }, { returnDocument: 'after' }).lean();
}

/** Same as {@link update}, without `findAndModify`: servers differ in what it answers when it meets a unique value. */
async function updateEmail(model: AccountModel, _id: string, fields: object, where: object, others = {}) {
  const write = model.updateOne({ ...where, _id, deletedAt: null }, { $set: fields, ...others });
  const updated = await unlessDuplicate(write, null);
  if (!updated) return 'taken' as const;
  return updated.matchedCount === 1 ? model.findById(_id).lean() : null;
}

/** Images of a day that count towards a limit. */
export interface DailyCount {
  /** Date (UTC) as YYYY-MM-DD. */
  day: string;
  counter: StoredCounter;
  images: number;
}

/** All counters at the beginning of a day. */
const BEGUN = Object.fromEntries(Object.values(PLAN_LIMITS).flatMap(({ counter }) => (counter ? [[counter, 0]] : [])));

/** Changes an account's daily counters. */
function dailyUse(model: AccountModel) {
  return {
    /** Counts images of a day; false if that exceeded `limit`. A new day begins at 0. */
    async countToday(accountId: string, { day, counter, images }: DailyCount, limit: number): Promise<boolean> {
      if (images > limit) return false;
      const field = `today.${counter}`;
      // A counter of a later version is absent from a day that an earlier one began.
      const room = [{ [field]: { $lte: limit - images } }, { [field]: { $exists: false } }];
      const more = () =>
        model.updateOne({ _id: accountId, 'today.day': day, $or: room }, { $inc: { [field]: images } });
      if ((await more()).matchedCount === 1) return true;
      const first: DailyUseRecord = { ...BEGUN, day, [counter]: images };
      const begun = await model.updateOne({ _id: accountId, 'today.day': { $ne: day } }, { $set: { today: first } });
      // Another request may have begun the day in between.
      return begun.matchedCount === 1 || (await more()).matchedCount === 1;
    },

    /** Takes back images that were counted on the same day. */
    async uncountToday(accountId: string, { day, counter, images }: DailyCount): Promise<void> {
      const field = `today.${counter}`;
      await model.updateOne(
        { _id: accountId, 'today.day': day, [field]: { $gte: images } },
        { $inc: { [field]: -images } },
      );
    },
  };
}

/** Figures of all accounts together. */
function accountFigures(model: AccountModel) {
  return {
    /** Sums the credits of all accounts and counts them, without tombstones. */
    async figures(): Promise<{ accounts: number; suspended: number; balance: number; used: number; granted: number }> {
      const [sums] = await model.aggregate<{ accounts: number; balance: number; used: number; granted: number }>([
        { $match: { deletedAt: null } },
        {
          $group: {
            _id: null,
            accounts: { $sum: 1 },
            balance: { $sum: '$balance' },
            used: { $sum: '$used' },
            granted: { $sum: '$granted' },
          },
        },
        { $project: { _id: 0, accounts: 1, balance: 1, used: 1, granted: 1 } },
      ]);
      const suspended = await model.countDocuments({ deletedAt: null, suspendedAt: { $ne: null } });
      return { accounts: 0, balance: 0, used: 0, granted: 0, ...sums, suspended };
    },
  };
}
