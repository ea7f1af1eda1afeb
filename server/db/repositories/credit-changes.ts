import type { Model } from 'mongoose';
import type { AccountRecord, PendingEntryRecord } from '../models/account.ts';

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
