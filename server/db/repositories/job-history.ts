import type { JobKindName } from '#contract';
import type { Connection } from '../connect.ts';
import { type PastJobRecord, pastJobSchema } from '../models/past-job.ts';

export type { PastJobRecord };

/** What jobs of one kind did in one day. */
export interface DayFigures {
  /** `2026-01-31`, in UTC. */
  day: string;
  kind: JobKindName;
  images: number;
  bytesBefore: number;
  bytesAfter: number;
}

/** Figures of jobs that have ended. They outlive the jobs. */
export function createJobHistoryRepository(connection: Connection) {
  const model = connection.model<PastJobRecord>('PastJob', pastJobSchema);
  return {
    /** Notes how a job ended; a job that is ended again replaces what was noted. */
    async put({ _id, ...fields }: PastJobRecord): Promise<void> {
      await model.updateOne({ _id }, { $set: fields }, { upsert: true });
    },

    /** An account's newest ones. */
    async recent(accountId: string, limit: number): Promise<PastJobRecord[]> {
      return model.find({ accountId }).sort({ createdAt: -1 }).limit(limit).lean();
    },

    /** Sums by day and kind since a moment. */
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

/** Access to the figures of past jobs. */
export type JobHistoryRepository = ReturnType<typeof createJobHistoryRepository>;
