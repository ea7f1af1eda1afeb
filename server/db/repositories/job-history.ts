import type { mongo } from 'mongoose';
import type { JobKindName, JobState } from '#contract';
import {
  DUPLICATE_KEY,
  deleteInBatches,
  field,
  firstRefused,
  plainCollection,
  type RecordOf,
  repeatUpsert,
  schemaOf,
  unlessDuplicate,
} from '../collection.ts';
import type { Connection } from '../connect.ts';

const jobEventFields = {
  /** `<jobId>:<n>`, the number with ten digits, so that the order of ids is that of events. */
  _id: field.text(),
  /** Number in the job's stream. */
  n: field.number(),
  event: field.text(),
  data: field.mixed<unknown>(),
  /** Writer of the event. Identifies the own event after a lost reply. */
  by: field.text(),
};

/** An event of a job, numbered when it is stored: of two events the later one has the higher number. */
export type JobEventRecord = RecordOf<typeof jobEventFields>;

const jobEventSchema = schemaOf('job_events', jobEventFields);

/** Creates the repository of the events of jobs. */
export function createJobEventRepository(connection: Connection) {
  const model = connection.model<JobEventRecord>('JobEvent', jobEventSchema);
  const collection = plainCollection(model);
  return {
    /** Stores events in order up to the first whose number is taken. Returns how many were stored. */
    async append(events: JobEventRecord[]): Promise<number> {
      try {
        await collection.insertMany(events, { ordered: true });
        return events.length;
      } catch (error) {
        if ((error as { code?: unknown }).code !== DUPLICATE_KEY) throw error;
        // The place of the refusal; not every server counts what it stored before.
        return firstRefused(error) ?? 0;
      }
    },

    /** Lists the events of a job with a number above `after`, in order. */
    async findAfter(jobId: string, after: number): Promise<JobEventRecord[]> {
      return collection
        .find({ _id: above(jobId, after) })
        .sort({ _id: 1 })
        .toArray();
    },

    /** Finds the last event of a job. */
    async findLast(jobId: string): Promise<JobEventRecord | null> {
      return collection
        .find({ _id: above(jobId, -1) })
        .sort({ _id: -1 })
        .limit(1)
        .next();
    },

    /** Finds those events of many jobs that are there. */
    async findByIds(ids: string[]): Promise<JobEventRecord[]> {
      return collection.find({ _id: { $in: ids } }).toArray();
    },

    /** Reports changes of jobs where the database has change streams, until the returned function is called. */
    watch: (changes: JobChanges): (() => void) => watchJobs(connection.db, changes),

    async removeOfJob(jobId: string): Promise<void> {
      await deleteInBatches(collection, { _id: above(jobId, -1) });
    },
  };
}

const DIGITS = 10;

/** Returns the id of an event. */
export function eventId(jobId: string, n: number): string {
  return `${jobId}:${String(n).padStart(DIGITS, '0')}`;
}

/** Ids of the events of a job with a number above `after`. */
function above(jobId: string, after: number): { $gte: string; $lt: string } {
  return { $gte: eventId(jobId, after + 1), $lt: `${jobId};` };
}

/** Time after which a broken change stream is reopened, in milliseconds. */
const REOPEN_AFTER_MS = 5000;

/**
 * MongoDB's codes of a server or user without change streams: not authorized, no such command or stage, not supported, not
 * implemented, no replica set. Source: `error_codes.yml` of MongoDB.
 */
const UNSUPPORTED = new Set([13, 59, 115, 238, 40324, 40573]);

/** Receives the changes of jobs. */
export interface JobChanges {
  /** An event was stored. */
  onEvent(event: JobEventRecord): void;
  /** A job has ended. */
  onEnd(jobId: string): void;
}

/** Dependencies of the watcher: a database of the driver. */
export type Watchable = Pick<mongo.Db, 'watch'>;

const PIPELINE = [
  {
    $match: {
      $or: [
        { 'ns.coll': 'job_events', operationType: 'insert' },
        {
          'ns.coll': 'jobs',
          operationType: 'update',
          'updateDescription.updatedFields.lastEvent': { $type: 'number' },
        },
      ],
    },
  },
  { $project: { ns: 1, documentKey: 1, fullDocument: 1 } },
];

interface Change {
  ns: { coll: string };
  documentKey: { _id: string };
  fullDocument?: JobEventRecord;
}

/**
 * Reports changes of jobs by a change stream, which replica sets and sharded clusters have. Where there is none, or while it is
 * broken, nothing is reported: a report shortens a wait, and callers poll the database as well.
 * @returns a function that ends the watch
 */
export function watchJobs(database: Watchable | undefined, changes: JobChanges): () => void {
  let stream: ReturnType<Watchable['watch']> | undefined;
  let reopening: NodeJS.Timeout | undefined;
  let ended = false;

  function open(): void {
    if (ended || !database) return;
    const opened = database.watch(PIPELINE);
    stream = opened;
    opened.on('change', (change) => report(change as unknown as Change, changes));
    opened.on('error', (error: { code?: unknown }) => {
      opened.close().catch(() => {});
      if (ended || UNSUPPORTED.has(Number(error.code))) return;
      reopening = setTimeout(open, REOPEN_AFTER_MS).unref();
    });
  }

  open();
  return () => {
    ended = true;
    clearTimeout(reopening);
    stream?.close().catch(() => {});
  };
}

function report({ ns, documentKey, fullDocument }: Change, { onEvent, onEnd }: JobChanges): void {
  if (ns.coll === 'jobs') onEnd(documentKey._id);
  else if (fullDocument) onEvent(fullDocument);
}

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
  _id: field.text(),
  accountId: field.text(),
  sessionId: field.text(),
  kind: field.text<JobKindName>(),
  state: field.text<JobState>(),
  total: field.number(),
  completed: field.number(),
  /** Uploaded bytes of the completed images; 0 for jobs without output. */
  bytesBefore: field.number(),
  bytesAfter: field.number(),
  /** Charge less refund. */
  credits: field.number(),
  /** Of an export or sample; absent in records of older versions. */
  format: field.optional(field.orNull(field.text())),
  preset: field.optional(field.orNull(field.text())),
  createdAt: field.date(),
  finishedAt: field.date(),
};

/** Usage of a job, kept after its session was removed; without names or content. */
export type PastJobRecord = RecordOf<typeof pastJobFields>;

const pastJobSchema = schemaOf('past_jobs', pastJobFields)
  .index({ accountId: 1, createdAt: -1 })
  .index({ accountId: 1, finishedAt: 1 })
  .index({ finishedAt: 1 });

const usageDaysFields = {
  /** The account. */
  _id: field.text(),
  /** First day that is not summed up yet: `2026-01-31`, in UTC. */
  until: field.text(),
  /** Days with usage before `until`, oldest first; at most the longest time that a request can ask for. */
  days: field.mixed<DayFigures[]>(),
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
      await repeatUpsert(() => model.updateOne({ _id }, { $set: fields }, { upsert: true }));
    },

    /** Lists an account's newest jobs. */
    async recent(accountId: string, limit: number): Promise<PastJobRecord[]> {
      return model.find({ accountId }).sort({ createdAt: -1 }).limit(limit).lean();
    },

    /** Finds jobs of an account by their ids. */
    async findMany(accountId: string, jobIds: string[]): Promise<PastJobRecord[]> {
      return model.find({ _id: { $in: jobIds }, accountId }).lean();
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
