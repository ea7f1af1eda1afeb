import type { Model } from 'mongoose';
import type { AccountRole, LedgerKind } from '#contract';
import { date, mixed, number, optional, orNull, partOf, type RecordOf, schemaOf, text, typed } from '../collection.ts';

/** Images that count towards the daily limits. */
export interface DailyUseRecord {
  /** Date (UTC) as YYYY-MM-DD. */
  day: string;
  samples: number;
  analyses: number;
}

/** Condition on `deletedAt` of tombstoned accounts, exactly as in the partial index. */
export const DELETED_ACCOUNT = { $gt: new Date(0) };

const holdFields = {
  /** The `_id` of the ledger entry. */
  lineId: text(),
  kind: text<LedgerKind>(),
  ref: text(),
  /** Credits, signed: negative for a charge. */
  delta: number(),
  note: orNull(text()),
  at: date(),
};

/** A pending ledger entry: already in the balance, possibly not yet in the ledger. Stored in `holds`. */
export type PendingEntryRecord = RecordOf<typeof holdFields>;

const pendingEmailFields = {
  email: text(),
  /** Expiry of its link. */
  endsAt: date(),
};

/** A new email address that is not confirmed yet. */
export type PendingEmailRecord = RecordOf<typeof pendingEmailFields>;

const accountFields = {
  _id: text(),
  /** Lower case; unique. */
  email: text(),
  plan: text(),
  suspendedAt: orNull(date()),
  /** Credits; never negative. */
  balance: number(),
  /** Charges less refunds, in credits. */
  used: number(),
  /** Sign-up credits and grants, in credits. */
  granted: number(),
  holds: typed<PendingEntryRecord[]>([partOf(holdFields)]),
  /** Number of ledger entries ever made, in shards by (kind, ref); a missing shard is 0. */
  lanes: mixed<Record<string, number>>(),
  /** Ids of the active keys. */
  activeKeys: typed<string[]>([String]),
  /** Absent: `user`. */
  role: optional(text<AccountRole>()),
  /** Set by the sign-in module; absent or null before the first password. */
  passwordHash: optional(text<string | null>()),
  /** Number of password changes; absent: 0. A browser session is valid only with the version it began with. */
  passwordVersion: optional(number()),
  lastLoginAt: optional(date<Date | null>()),
  /** New address, set once the link sent to it is opened. */
  pendingEmail: optional(typed<PendingEmailRecord | null>(partOf(pendingEmailFields))),
  /** Of the last day with a counted image. */
  today: optional(mixed<DailyUseRecord>()),
  /** Charges less refunds by day in UTC, as `{ '2026': { '01-31': 12 } }`, of this year and the one before. */
  days: optional(mixed<Record<string, Record<string, number>>>()),
  /** Set on a tombstone, whose remaining data is being deleted. */
  deletedAt: optional(date<Date | null>()),
  createdAt: date(),
  updatedAt: date(),
};

/** An account as stored. All fields of an invariant are in this one document. */
export type AccountRecord = RecordOf<typeof accountFields>;

/** Schema of {@link AccountRecord}. */
export const accountSchema = schemaOf('accounts', accountFields)
  .index({ email: 1 }, { unique: true })
  .index({ 'holds.at': 1 })
  .index({ deletedAt: 1 }, { partialFilterExpression: { deletedAt: DELETED_ACCOUNT } });

/** One ledger entry, as it is applied to the account document. */
export interface CreditChange {
  accountId: string;
  hold: PendingEntryRecord;
  /** Signed changes of the two counters, in credits. */
  used: number;
  granted: number;
  lane: string;
  /** Count of the shard at the time the ledger was searched for this (kind, ref). */
  laneCount: number;
}

/** Changes an account's credits. */
export function creditChanges(model: Model<AccountRecord>) {
  return {
    /**
     * Changes balance and counters and adds a pending entry, atomically; null if the balance does not suffice or another
     * entry of the shard came first. A tombstoned account accepts refunds only.
     */
    async move({ accountId, hold, used, granted, lane, laneCount }: CreditChange): Promise<AccountRecord | null> {
      const living = hold.kind === 'refund' ? {} : { deletedAt: null };
      return model
        .findOneAndUpdate(
          // Equality with null also matches a missing shard.
          {
            _id: accountId,
            ...living,
            balance: { $gte: -hold.delta },
            [`lanes.${lane}`]: laneCount === 0 ? null : laneCount,
          },
          {
            $inc: {
              balance: hold.delta,
              used,
              granted,
              [`lanes.${lane}`]: 1,
              ...(used !== 0 && { [dayField(hold.at)]: used }),
            },
            $push: { holds: hold },
            $set: { updatedAt: hold.at },
            $unset: oldDays(hold.at),
          },
          { returnDocument: 'after', projection: { days: 0 } },
        )
        .lean();
    },

    /** Removes a pending entry that was written to the ledger; false if the account does not exist. */
    async clearHold(accountId: string, lineId: string): Promise<boolean> {
      const updated = await model.updateOne({ _id: accountId }, { $pull: { holds: { lineId } } });
      return updated.matchedCount === 1;
    },
  };
}

/** Field of an account that counts the spending of a day. */
function dayField(at: Date): string {
  const [year, ...day] = at.toISOString().slice(0, 10).split('-');
  return `days.${year}.${day.join('-')}`;
}

/** Fields of years that no report reaches any more. */
function oldDays(at: Date): Record<string, ''> {
  const year = at.getUTCFullYear();
  return Object.fromEntries([2, 3, 4, 5].map((ago) => [`days.${year - ago}`, '']));
}

/** Images of a day that count towards a limit. */
export interface DailyCount {
  /** Date (UTC) as YYYY-MM-DD. */
  day: string;
  counter: 'samples' | 'analyses';
  images: number;
}

/** Changes an account's daily counters. */
export function dailyUse(model: Model<AccountRecord>) {
  return {
    /** Counts images of a day; false if that exceeded `limit`. A new day begins at 0. */
    async countToday(accountId: string, { day, counter, images }: DailyCount, limit: number): Promise<boolean> {
      if (images > limit) return false;
      const field = `today.${counter}`;
      const more = () =>
        model.updateOne(
          { _id: accountId, 'today.day': day, [field]: { $lte: limit - images } },
          { $inc: { [field]: images } },
        );
      if ((await more()).matchedCount === 1) return true;
      const first: DailyUseRecord = { day, samples: 0, analyses: 0, [counter]: images };
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
export function accountFigures(model: Model<AccountRecord>) {
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
