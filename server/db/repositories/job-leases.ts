import type { Model } from 'mongoose';
import { type JobCredits, type JobKindName, type JobState, type JobSummary, UNFINISHED_JOB_STATES } from '#contract';
import {
  date,
  flag,
  mixed,
  number,
  orNull,
  plainCollection,
  type RecordOf,
  schemaOf,
  text,
  withDefault,
} from '../collection.ts';

const jobFields = {
  _id: text(),
  accountId: text(),
  sessionId: text(),
  kind: text<JobKindName>(),
  state: text<JobState>(),
  /** Number of images. */
  total: number(),
  /** Settings of the job kind for all images. */
  settings: mixed<unknown>(),
  createdAt: date(),
  finishedAt: orNull(date()),
  /** Process that holds the lease, until `leaseUntil`. */
  leaseOwner: orNull(text()),
  leaseUntil: date(),
  /** Number of resumptions. */
  attempts: withDefault(number(), 0),
  /** Number of process crashes during the job. */
  crashes: withDefault(number(), 0),
  /** Requested stop reason, or null. */
  stopRequested: orNull(text<'job_cancelled' | 'session_deleted'>()),
  /** True while other servers may take images of it. */
  offered: withDefault(flag(), false),
  /** Heartbeat of listeners on other servers. */
  listened: withDefault(number(), 0),
  /** Last event number of the previous run, which a client may have seen; -1 if none. */
  eventBase: withDefault(number(), -1),
  /** Number of the terminal event; null while the job is unfinished. */
  lastEvent: orNull(number()),
  summary: orNull(mixed<JobSummary>()),
  credits: orNull(mixed<JobCredits>()),
  error: orNull(mixed<{ code: string; message: string }>()),
};

/** A job as stored, without its images, which are apart so that it stays small. */
export type JobRecord = RecordOf<typeof jobFields>;

/** Schema of {@link JobRecord}. */
export const jobSchema = schemaOf('jobs', jobFields)
  .index({ sessionId: 1, createdAt: -1 })
  .index({ state: 1 })
  .index({ leaseOwner: 1, stopRequested: 1 })
  .index({ offered: 1 }, { partialFilterExpression: { offered: true } })
  .index({ accountId: 1, createdAt: -1 });

/** The lease of a job, as it was read. */
export type JobLease = Pick<JobRecord, '_id' | 'leaseOwner' | 'leaseUntil'>;

/** A request to stop a job. */
export interface StopRequest {
  _id: string;
  stopRequested: NonNullable<JobRecord['stopRequested']>;
}

/** Leases of one answer of the database, below 1 MB. */
const LEASES_AT_ONCE = 5000;

/** Takes, renews and releases the leases of jobs. */
export function jobLeases(model: Model<JobRecord>) {
  return {
    /** Sets the state of a job of this owner and returns it; null if the lease was lost. */
    async advance(jobId: string, owner: string, state: JobRecord['state']): Promise<JobRecord | null> {
      return model
        .findOneAndUpdate(
          { _id: jobId, leaseOwner: owner, state: { $in: UNFINISHED_JOB_STATES } },
          { $set: { state } },
          { returnDocument: 'after' },
        )
        .lean();
    },

    /** Renews the leases of jobs of this owner. */
    async renewLeases(jobIds: string[], owner: string, leaseUntil: Date): Promise<void> {
      const own = { _id: { $in: jobIds }, leaseOwner: owner, state: { $in: UNFINISHED_JOB_STATES } };
      await model.updateMany(own, { $set: { leaseUntil } });
    },

    /** Releases the lease, so that any server may resume the job at once. */
    async releaseLease(jobId: string, owner: string, now: Date): Promise<void> {
      await model.updateOne({ _id: jobId, leaseOwner: owner }, { $set: { leaseOwner: null, leaseUntil: now } });
    },

    /** Lists the leases of all unfinished jobs, thousands in one answer of the database. */
    async findLeases(): Promise<JobLease[]> {
      return model
        .find({ state: { $in: UNFINISHED_JOB_STATES } })
        .select({ leaseOwner: 1, leaseUntil: 1 })
        .batchSize(LEASES_AT_ONCE)
        .lean();
    },

    /** Takes over a job whose lease is unchanged and returns its previous state; else null. */
    async claim({ _id, ...seen }: JobLease, owner: string, leaseUntil: Date): Promise<JobRecord | null> {
      return model
        .findOneAndUpdate(
          { _id, state: { $in: UNFINISHED_JOB_STATES }, ...seen },
          { $set: { leaseOwner: owner, leaseUntil }, $inc: { attempts: 1 } },
          { returnDocument: 'before' },
        )
        .lean();
    },
  };
}

/** Requests jobs to stop, on every server. */
export function jobStops(model: Model<JobRecord>) {
  const collection = plainCollection(model);
  return {
    /** Finds the jobs of this owner with a requested stop. */
    async findStopRequests(owner: string): Promise<StopRequest[]> {
      const stopRequested: { $in: StopRequest['stopRequested'][] } = { $in: ['job_cancelled', 'session_deleted'] };
      return collection
        .find<StopRequest>({ leaseOwner: owner, stopRequested }, { projection: { stopRequested: 1 } })
        .toArray();
    },

    /** Requests a cancellation; false if the job has ended or belongs to another account. */
    async requestCancel(accountId: string, jobId: string): Promise<boolean> {
      const updated = await model.updateOne(
        { _id: jobId, accountId, state: { $in: UNFINISHED_JOB_STATES } },
        { $set: { stopRequested: 'job_cancelled' } },
      );
      return updated.matchedCount === 1;
    },

    /** Raises the heartbeat of these jobs: this server has a listener of them. */
    async showListening(jobIds: string[]): Promise<void> {
      await model.updateMany(
        { _id: { $in: jobIds }, state: { $in: UNFINISHED_JOB_STATES } },
        { $inc: { listened: 1 } },
      );
    },

    /** Requests all jobs of a session to stop, on every server. */
    async requestStopOfSession(sessionId: string): Promise<void> {
      await model.updateMany(
        { sessionId, state: { $in: UNFINISHED_JOB_STATES } },
        { $set: { stopRequested: 'session_deleted' } },
      );
    },
  };
}
