import { type JobKindName, type JobState, UNFINISHED_JOB_STATES } from '#contract';
import type { Connection } from '../connect.ts';
import { unlessDuplicate } from '../duplicate-key.ts';
import { type JobImage, type JobRecord, jobSchema } from '../models/job.ts';

export type { JobImage, JobRecord };

/** The lease on a job, as somebody saw it. */
export type JobLease = Pick<JobRecord, '_id' | 'leaseOwner' | 'leaseUntil'>;

/** What is written when a job ends. */
export type JobOutcome = Pick<JobRecord, 'state' | 'lastEvent' | 'summary' | 'credits' | 'error'>;

/** Jobs and the leases on them. */
export function createJobRepository(connection: Connection) {
  const model = connection.model<JobRecord>('Job', jobSchema);
  return {
    /** Inserts a job; false when its id is taken already. */
    async insert(job: JobRecord): Promise<boolean> {
      const inserted = model.collection.insertOne(job as never).then(() => true);
      return unlessDuplicate(inserted, false);
    },

    async find(accountId: string, jobId: string): Promise<JobRecord | null> {
      return model.findOne({ _id: jobId, accountId }).lean();
    },

    /** A session's jobs, newest first. */
    async findOfSession(accountId: string, sessionId: string, limit: number): Promise<JobRecord[]> {
      return model.find({ accountId, sessionId }).sort({ createdAt: -1 }).limit(limit).lean();
    },

    /** A session's newest job of a kind; null when there is none. */
    async findNewest(accountId: string, sessionId: string, kind: JobKindName): Promise<JobRecord | null> {
      return model.findOne({ accountId, sessionId, kind }).sort({ createdAt: -1 }).lean();
    },

    /** An account's jobs that have not ended, newest first. */
    async findUnfinishedOfAccount(accountId: string, limit: number): Promise<JobRecord[]> {
      return model
        .find({ accountId, state: { $in: UNFINISHED_JOB_STATES } })
        .sort({ createdAt: -1 })
        .limit(limit)
        .lean();
    },

    /** Those of the ids that an account still has a job of. */
    async findExisting(accountId: string, jobIds: string[]): Promise<Set<string>> {
      const found = await model
        .find({ accountId, _id: { $in: jobIds } })
        .select({ _id: 1 })
        .lean();
      return new Set(found.map(({ _id }) => _id));
    },

    async hasUnfinished(sessionId: string): Promise<boolean> {
      return (await model.countDocuments({ sessionId, state: { $in: UNFINISHED_JOB_STATES } })) > 0;
    },

    /** Moves a job of this owner on and returns it; null when the job is no longer its own. */
    async advance(jobId: string, owner: string, state: JobState): Promise<JobRecord | null> {
      return model
        .findOneAndUpdate(
          { _id: jobId, leaseOwner: owner, state: { $in: UNFINISHED_JOB_STATES } },
          { $set: { state } },
          { returnDocument: 'after' },
        )
        .lean();
    },

    /** Prolongs the lease and returns the job; null when it was lost. */
    async renewLease(jobId: string, owner: string, leaseUntil: Date): Promise<JobRecord | null> {
      return model
        .findOneAndUpdate(
          { _id: jobId, leaseOwner: owner, state: { $in: UNFINISHED_JOB_STATES } },
          { $set: { leaseUntil } },
          { returnDocument: 'after' },
        )
        .lean();
    },

    /** Gives a job back, so that any server may take it up at once. */
    async releaseLease(jobId: string, owner: string, now: Date): Promise<void> {
      await model.updateOne({ _id: jobId, leaseOwner: owner }, { $set: { leaseOwner: null, leaseUntil: now } });
    },

    /** The leases of all jobs that have not ended. */
    async findLeases(): Promise<JobLease[]> {
      return model
        .find({ state: { $in: UNFINISHED_JOB_STATES } })
        .select({ leaseOwner: 1, leaseUntil: 1 })
        .lean();
    },

    /** Takes over a job whose lease still is as it was seen, and returns it as it was before; else null. */
    async claim({ _id, ...seen }: JobLease, owner: string, leaseUntil: Date): Promise<JobRecord | null> {
      return model
        .findOneAndUpdate(
          { _id, state: { $in: UNFINISHED_JOB_STATES }, ...seen },
          { $set: { leaseOwner: owner, leaseUntil }, $inc: { attempts: 1 } },
          { returnDocument: 'before' },
        )
        .lean();
    },

    /** Notes that the job shall stop; false when it has ended or is not the account's. */
    async requestCancel(accountId: string, jobId: string): Promise<boolean> {
      const updated = await model.updateOne(
        { _id: jobId, accountId, state: { $in: UNFINISHED_JOB_STATES } },
        { $set: { stopRequested: 'job_cancelled' } },
      );
      return updated.matchedCount === 1;
    },

    /** Notes that all jobs of a session shall stop, on whatever server they run. */
    async requestStopOfSession(sessionId: string): Promise<void> {
      await model.updateMany(
        { sessionId, state: { $in: UNFINISHED_JOB_STATES } },
        { $set: { stopRequested: 'session_deleted' } },
      );
    },

    /** Notes that a process died over a job; returns how often that has happened. */
    async countCrash(jobId: string): Promise<number> {
      const job = await model
        .findOneAndUpdate({ _id: jobId }, { $inc: { crashes: 1 } }, { returnDocument: 'after' })
        .select({ crashes: 1 })
        .lean();
      return job?.crashes ?? 1;
    },

    /** Takes up a job that stopped for want of a listener and cost nothing; null when it is not such a one. */
    async reopen(accountId: string, jobId: string, owner: string, leaseUntil: Date): Promise<JobRecord | null> {
      return model
        .findOneAndUpdate(
          { _id: jobId, accountId, state: 'cancelled', 'error.code': 'client_left', 'credits.charged': 0 },
          {
            $set: {
              state: 'processing',
              leaseOwner: owner,
              leaseUntil,
              finishedAt: null,
              lastEvent: null,
              error: null,
            },
            $inc: { attempts: 1 },
          },
          { returnDocument: 'after' },
        )
        .lean();
    },

    /** Writes the end of a job of this owner; false when it is no longer its own. */
    async finish(jobId: string, owner: string, finishedAt: Date, outcome: JobOutcome): Promise<boolean> {
      const updated = await model.updateOne(
        { _id: jobId, leaseOwner: owner, state: { $in: UNFINISHED_JOB_STATES } },
        { $set: { ...outcome, finishedAt, leaseOwner: null } },
      );
      return updated.matchedCount === 1;
    },

    async remove(jobId: string): Promise<void> {
      await model.deleteOne({ _id: jobId });
    },

    async removeOfSession(sessionId: string): Promise<void> {
      await model.deleteMany({ sessionId });
    },
  };
}

/** Access to stored jobs. */
export type JobRepository = ReturnType<typeof createJobRepository>;
