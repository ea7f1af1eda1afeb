import type { JobKindName } from '#contract';
import type { Connection } from '../connect.ts';
import { type PastJobRecord, pastJobSchema } from '../models/past-job.ts';

export type { PastJobRecord };

/** Usage by jobs of one kind on one day. */
export interface DayFigures {
  /** `2026-01-31`, in UTC. */
  day: string;
  kind: JobKindName;
  images: number;
  bytesBefore: number;
  bytesAfter: number;
}

/** Creates the repository of the usage of finished jobs, which outlives the jobs. */
export function createJobHistoryRepository(connection: Connection) {
  const model = connection.model<PastJobRecord>('PastJob', pastJobSchema);
  return {
    /** Stores the usage of a job; a job that ends again replaces it. */
    async put({ _id, ...fields }: PastJobRecord): Promise<void> {
      await model.updateOne({ _id }, { $set: fields }, { upsert: true });
    },

    /** Lists an account's newest jobs. */
    async recent(accountId: string, limit: number): Promise<PastJobRecord[]> {
      return model.find({ accountId }).sort({ createdAt: -1 }).limit(limit).lean();
    },

    /** Sums the usage by day and kind since a time. */
    async byDay(accountId: string, since: Date): Promise<DayFigures[]> {
      return model.aggregate<DayFigures>([
        { $match: { accountId, finishedAt: { $gte: since } } },
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

    async removeOfAccount(accountId: string): Promise<void> {
      await model.deleteMany({ accountId });
    },
  };
}

/** Access to the usage of finished jobs. */
export type JobHistoryRepository = ReturnType<typeof createJobHistoryRepository>;
