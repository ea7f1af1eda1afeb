import type { Connection } from '../connect.ts';
import { deleteInBatches } from '../delete-in-batches.ts';
import { unlessDuplicate } from '../duplicate-key.ts';
import { type DayFigures, type PastJobRecord, pastJobSchema } from '../models/past-job.ts';
import { type UsageDaysRecord, usageDaysSchema } from '../models/usage-days.ts';
import { plainCollection } from '../plain-collection.ts';

export type { DayFigures, PastJobRecord };

/** Id of the sums of all accounts. */
const EVERYONE = 'all';

const of = (accountId: string | null) => (accountId === null ? {} : { accountId });

/** Creates the repository of the usage of finished jobs, which outlives the jobs. */
export function createJobHistoryRepository(connection: Connection) {
  const model = connection.model<PastJobRecord>('PastJob', pastJobSchema);
  const usageDays = connection.model<UsageDaysRecord>('UsageDays', usageDaysSchema);
  return {
    /** Stores the usage of a job; a job that ends again replaces it. */
    async put({ _id, ...fields }: PastJobRecord): Promise<void> {
      await model.updateOne({ _id }, { $set: fields }, { upsert: true });
    },

    /** Lists an account's newest jobs. */
    async recent(accountId: string, limit: number): Promise<PastJobRecord[]> {
      return model.find({ accountId }).sort({ createdAt: -1 }).limit(limit).lean();
    },

    /** Sums the usage of an account, or of all, by day and kind from a time on, up to another. */
    async byDay(accountId: string | null, since: Date, before?: Date): Promise<DayFigures[]> {
      return model.aggregate<DayFigures>([
        { $match: { ...of(accountId), finishedAt: { $gte: since, ...(before && { $lt: before }) } } },
        {
          $group: {
            _id: { day: { $dateToString: { date: '$finishedAt', format: '%Y-%m-%d' } }, kind: '$kind' },
            images: { $sum: '$completed' },
            bytesBefore: { $sum: '$bytesBefore' },
            bytesAfter: { $sum: '$bytesAfter' },
          },
        },
        { $project: { _id: 0, day: '$_id.day', kind: '$_id.kind', images: 1, bytesBefore: 1, bytesAfter: 1 } },
      ]);
    },

    /** Returns when the first job since a time finished; null if none did. */
    async firstSince(accountId: string | null, since: Date): Promise<Date | null> {
      const sorted = model.findOne({ ...of(accountId), finishedAt: { $gte: since } }).sort({ finishedAt: 1 });
      return (await sorted.select({ finishedAt: 1 }).lean())?.finishedAt ?? null;
    },

    /** Returns the days that are summed up already. */
    async keptDays(accountId: string | null): Promise<UsageDaysRecord | null> {
      return usageDays.findById(accountId ?? EVERYONE).lean();
    },

    /** Keeps the sums of days; those of another server that came further win. */
    async keepDays(accountId: string | null, { until, days }: Omit<UsageDaysRecord, '_id'>): Promise<void> {
      const _id = accountId ?? EVERYONE;
      const older = usageDays.updateOne({ _id, until: { $lt: until } }, { $set: { until, days } }, { upsert: true });
      await unlessDuplicate(older, undefined);
    },

    async removeOfAccount(accountId: string): Promise<void> {
      await deleteInBatches(plainCollection<PastJobRecord>(model), { accountId });
      await usageDays.deleteOne({ _id: accountId });
    },
  };
}

/** Access to the usage of finished jobs. */
export type JobHistoryRepository = ReturnType<typeof createJobHistoryRepository>;
