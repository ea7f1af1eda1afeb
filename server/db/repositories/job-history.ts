import type { JobKindName, JobState } from '#contract';
import {
  date,
  deleteInBatches,
  mixed,
  number,
  plainCollection,
  type RecordOf,
  schemaOf,
  text,
  unlessDuplicate,
} from '../collection.ts';
import type { Connection } from '../connect.ts';

/** Usage by jobs of one kind on one day. */
export interface DayFigures {
  /** `2026-01-31`, in UTC. */
  day: string;
  kind: JobKindName;
  images: number;
  bytesBefore: number;
  bytesAfter: number;
}

const pastJobFields = {
  /** The job's id. */
  _id: text(),
  accountId: text(),
  sessionId: text(),
  kind: text<JobKindName>(),
  state: text<JobState>(),
  total: number(),
  completed: number(),
  /** Uploaded bytes of the completed images; 0 for jobs without output. */
  bytesBefore: number(),
  bytesAfter: number(),
  /** Charge less refund. */
  credits: number(),
  createdAt: date(),
  finishedAt: date(),
};

/** Usage of a job, kept after its session was removed; without names or content. */
export type PastJobRecord = RecordOf<typeof pastJobFields>;

const pastJobSchema = schemaOf('past_jobs', pastJobFields)
  .index({ accountId: 1, createdAt: -1 })
  .index({ accountId: 1, finishedAt: 1 })
  .index({ finishedAt: 1 });

const usageDaysFields = {
  /** The account. */
  _id: text(),
  /** First day that is not summed up yet: `2026-01-31`, in UTC. */
  until: text(),
  /** Days with usage before `until`, oldest first; at most the longest time that a request can ask for. */
  days: mixed<DayFigures[]>(),
};

/** Usage of one account by finished jobs, summed up by day. */
export type UsageDaysRecord = RecordOf<typeof usageDaysFields>;

const usageDaysSchema = schemaOf('usage_days', usageDaysFields);

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
