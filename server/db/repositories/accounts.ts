import type { AccountRole } from '#contract';
import type { Connection } from '../connect.ts';
import { unlessDuplicate } from '../duplicate-key.ts';
import {
  type AccountRecord,
  accountSchema,
  DELETED_ACCOUNT,
  type HoldRecord,
  type PendingEmailRecord,
} from '../models/account.ts';
import { plainCollection } from '../plain-collection.ts';

export type { AccountRecord, HoldRecord, PendingEmailRecord };

/** One movement of credits, as the account document takes it. */
export interface Movement {
  accountId: string;
  hold: HoldRecord;
  /** Signed changes of the two counters, in credits. */
  used: number;
  granted: number;
  lane: string;
  /** What the lane stood at when the ledger was searched for this (kind, ref). */
  laneCount: number;
}

/** What somebody sets who claims an account. */
export type ClaimedFields = Pick<AccountRecord, 'email'> & { passwordHash: string; role?: AccountRole };

/** Accounts, their credits and the list of their active keys. */
export function createAccountRepository(connection: Connection) {
  const model = connection.model<AccountRecord>('Account', accountSchema);
  const collection = plainCollection<AccountRecord>(model);

  /** Null when there is no such account, or it is not as `where` says. */
  async function update(
    accountId: string,
    fields: Partial<AccountRecord>,
    where = {},
    others = {},
  ): Promise<AccountRecord | null> {
    const living = { ...where, _id: accountId, deletedAt: null };
    return model.findOneAndUpdate(living, { $set: fields, ...others }, { returnDocument: 'after' }).lean();
  }

  async function updateEmail(accountId: string, fields: Partial<AccountRecord>, where: object, others = {}) {
    return unlessDuplicate(update(accountId, fields, where, others), 'taken' as const);
  }

  return {
    /** Inserts an account; false when its email is taken. */
    async insert(account: AccountRecord): Promise<boolean> {
      const inserted = model.collection.insertOne(account as never).then(() => true);
      return unlessDuplicate(inserted, false);
    },

    async find(accountId: string): Promise<AccountRecord | null> {
      return collection.findOne({ _id: accountId });
    },

    async findByEmail(email: string): Promise<AccountRecord | null> {
      return model.findOne({ email }).lean();
    },

    /** Up to `limit` accounts in the order of their ids, from behind `afterId`. */
    async list(limit: number, afterId = ''): Promise<AccountRecord[]> {
      return model
        .find({ _id: { $gt: afterId } })
        .sort({ _id: 1 })
        .limit(limit)
        .lean();
    },

    /** Up to `limit` accounts that are not being deleted, in the order of their ids, whose email has `text` or whose id it is. */
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

    async setRole(accountId: string, role: AccountRole, now: Date): Promise<AccountRecord | null> {
      return update(accountId, { role, updatedAt: now });
    },

    /** Sets a new password, in one step with ending what was begun with the old one: log-ins, and a change of address. */
    async setPassword(
      accountId: string,
      passwordHash: string,
      now: Date,
      where: Partial<Pick<AccountRecord, 'email' | 'passwordHash'>>,
    ): Promise<AccountRecord | null> {
      const fields = { passwordHash, pendingEmail: null, updatedAt: now };
      return update(accountId, fields, where, { $inc: { passwordVersion: 1 } });
    },

    /** Puts another hash of the same password in the place of one. */
    async renewHash(accountId: string, before: string, passwordHash: string): Promise<void> {
      await update(accountId, { passwordHash }, { passwordHash: before });
    },

    /**
     * Gives the account that has the address `before` to whoever claims it, in one step: no interruption leaves half of
     * it. Ends what {@link setPassword} ends. `taken`: another account has this email.
     */
    async claim(accountId: string, before: string, claimed: ClaimedFields, now: Date) {
      const fields = { ...claimed, pendingEmail: null, updatedAt: now };
      return updateEmail(accountId, fields, { email: before }, { $inc: { passwordVersion: 1 } });
    },

    /** Notes the address that an account is to get; null when its password is not the one of `passwordHash`. */
    async setPendingEmail(
      accountId: string,
      pendingEmail: PendingEmailRecord | null,
      passwordHash: string,
    ): Promise<AccountRecord | null> {
      return update(accountId, { pendingEmail }, { passwordHash });
    },

    /** Gives an account the address that it waits for; null when it does not, or no longer. `taken`: another has it. */
    async confirmEmail(accountId: string, email: string, now: Date): Promise<AccountRecord | null | 'taken'> {
      const waits = { 'pendingEmail.email': email, 'pendingEmail.endsAt': { $gt: now } };
      return updateEmail(accountId, { email, pendingEmail: null, updatedAt: now }, waits);
    },

    async noteSignIn(accountId: string, lastLoginAt: Date): Promise<void> {
      await model.updateOne({ _id: accountId, deletedAt: null }, { $set: { lastLoginAt } });
    },

    /** Makes an account none any more: no key, no password, its email free for others. False when it was one no longer. */
    async markDeleted(accountId: string, deletedAt: Date): Promise<boolean> {
      const email = `deleted:${accountId}`;
      const nothing = { activeKeys: [], passwordHash: null, pendingEmail: null, role: 'user' as const };
      const changed = await update(accountId, { deletedAt, email, ...nothing });
      return changed !== null;
    },

    /** Accounts of which something may be left. */
    async findDeleted(limit: number): Promise<AccountRecord[]> {
      return model.find({ deletedAt: DELETED_ACCOUNT }).limit(limit).lean();
    },

    /** Removes an account that was marked before. */
    async removeDeleted(accountId: string): Promise<void> {
      await model.deleteOne({ _id: accountId, deletedAt: DELETED_ACCOUNT });
    },

    async setPlan(accountId: string, plan: string, now: Date): Promise<AccountRecord | null> {
      return update(accountId, { plan, updatedAt: now });
    },

    async setSuspended(accountId: string, suspendedAt: Date | null, now: Date): Promise<AccountRecord | null> {
      return update(accountId, { suspendedAt, updatedAt: now });
    },

    /** Adds a key to the active ones if fewer than `limit` are; null when it is one already or there is no room. */
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

    /** Takes a key off the active ones; false when it was not one. */
    async removeActiveKey(accountId: string, keyId: string): Promise<boolean> {
      const updated = await model.updateOne({ _id: accountId, activeKeys: keyId }, { $pull: { activeKeys: keyId } });
      return updated.matchedCount === 1;
    },

    /**
     * Changes balance and counters and leaves a hold, in one step; null when the balance does not suffice or another
     * movement of the lane came first. An account that is being deleted takes nothing but refunds.
     */
    async move({ accountId, hold, used, granted, lane, laneCount }: Movement): Promise<AccountRecord | null> {
      const living = hold.kind === 'refund' ? {} : { deletedAt: null };
      return model
        .findOneAndUpdate(
          // Equality with null also finds a lane that is not there yet.
          {
            _id: accountId,
            ...living,
            balance: { $gte: -hold.delta },
            [`lanes.${lane}`]: laneCount === 0 ? null : laneCount,
          },
          {
            $inc: { balance: hold.delta, used, granted, [`lanes.${lane}`]: 1 },
            $push: { holds: hold },
            $set: { updatedAt: hold.at },
          },
          { returnDocument: 'after' },
        )
        .lean();
    },

    /** Removes a hold whose ledger line is written; false when the account is not there any more. */
    async clearHold(accountId: string, lineId: string): Promise<boolean> {
      const updated = await model.updateOne({ _id: accountId }, { $pull: { holds: { lineId } } });
      return updated.matchedCount === 1;
    },

    /** Accounts that have a hold from before `before`, and those with one from after `now`. */
    async findWithHolds(before: Date, now: Date, limit: number): Promise<AccountRecord[]> {
      // Two questions, each with a part of the index of its own.
      const found = [];
      for (const at of [{ $lte: before }, { $gt: now }])
        found.push(...(await model.find({ 'holds.at': at }).limit(limit).lean()));
      return found;
    },
  };
}

/** Access to stored accounts. */
export type AccountRepository = ReturnType<typeof createAccountRepository>;
