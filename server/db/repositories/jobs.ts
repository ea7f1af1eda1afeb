import type { JobKindName, JobState } from '#contract';
import type { Connection } from '../connect.ts';
import { type JobImage, type JobRecord, jobSchema } from '../models/job.ts';

export type { JobImage, JobRecord };

/** States in which somebody must be working on the job. */
const ACTIVE: JobState[] = ['charged', 'processing'];
const UNFINISHED: JobState[] = ['created', ...ACTIVE];

/** What is written when a job ends. */
export type JobOutcome = Pick<JobRecord, 'state' | 'lastEvent' | 'summary' | 'credits' | 'error'>;

/** Jobs and the leases on them. */
export function createJobRepository(connection: Connection) {
  const model = connection.model<JobRecord>('Job', jobSchema);
  return {
    /** Inserts a job; false when its id is taken already. */
    async insert(job: JobRecord): Promise<boolean> {
      try {
        await model.collection.insertOne(job as never);
        return true;
      } catch (error) {
        if ((error as { code?: unknown }).code === 11000) return false;
        throw error;
      }
    },

    async find(accountId: string, jobId: string): Promise<JobRecord | null> {
      return model.findOne({ _id: jobId, accountId }).lean();
    },

    /** A session's jobs, newest first, without their lists of images. */
    async findOfSession(accountId: string, sessionId: string, limit: number): Promise<JobRecord[]> {
      return model.find({ accountId, sessionId }).sort({ createdAt: -1 }).limit(limit).lean();
    },

    /** A session's newest job of a kind; null when there is none. */
    async findNewest(accountId: string, sessionId: string, kind: JobKindName): Promise<JobRecord | null> {
      return model.findOne({ accountId, sessionId, kind }).sort({ createdAt: -1 }).lean();
    },

    async hasUnfinished(sessionId: string): Promise<boolean> {
      return (await model.countDocuments({ sessionId, state: { $in: UNFINISHED } })) > 0;
    },

    /** Moves a job of this owner on; false when the job is no longer its own. */
    async advance(jobId: string, owner: string, state: JobState): Promise<boolean> {
      const updated = await model.updateOne(
        { _id: jobId, leaseOwner: owner, state: { $in: UNFINISHED } },
        { $set: { state } },
      );
      return updated.matchedCount === 1;
    },

    /** Prolongs the lease and returns the job; null when it was lost. */
    async renewLease(jobId: string, owner: string, leaseUntil: Date): Promise<JobRecord | null> {
      return model
        .findOneAndUpdate(
          { _id: jobId, leaseOwner: owner, state: { $in: UNFINISHED } },
          { $set: { leaseUntil } },
          { returnDocument: 'after' },
        )
        .lean();
    },

    /** Gives a job back, so that any server may take it up at once. */
    async releaseLease(jobId: string, owner: string, now: Date): Promise<void> {
      await model.updateOne({ _id: jobId, leaseOwner: owner }, { $set: { leaseOwner: null, leaseUntil: now } });
    },

    /** Makes every lease end now: for a store that only this process can have written to. */
    async endAllLeases(now: Date): Promise<void> {
      await model.updateMany({ state: { $in: UNFINISHED }, leaseUntil: { $gt: now } }, { $set: { leaseUntil: now } });
    },

    /** Takes over one job whose lease has ended and returns it as it was before; null when there is none. */
    async claimAbandoned(owner: string, now: Date, leaseUntil: Date): Promise<JobRecord | null> {
      return model
        .findOneAndUpdate(
          { state: { $in: UNFINISHED }, leaseUntil: { $lte: now } },
          { $set: { leaseOwner: owner, leaseUntil }, $inc: { attempts: 1 } },
          { returnDocument: 'before' },
        )
        .lean();
    },

    /** Notes that the job shall stop; false when it has ended or is not the account's. */
    async requestCancel(accountId: string, jobId: string): Promise<boolean> {
      const updated = await model.updateOne(
        { _id: jobId, accountId, state: { $in: UNFINISHED } },
        { $set: { cancelRequested: true } },
      );
      return updated.matchedCount === 1;
    },

    /** Writes the end of a job of this owner; false when it is no longer its own. */
    async finish(jobId: string, owner: string, finishedAt: Date, outcome: JobOutcome): Promise<boolean> {
      const updated = await model.updateOne(
        { _id: jobId, leaseOwner: owner, state: { $in: UNFINISHED } },
        { $set: { ...outcome, finishedAt, leaseOwner: null } },
      );
      return updated.matchedCount === 1;
    },

    async remove(jobId: string): Promise<void> {
      await model.deleteOne({ _id: jobId });
    },

    async removeOfSession(sessionId: string): Promise<string[]> {
      const ids = (await model.find({ sessionId }).select({ _id: 1 }).lean()).map((job) => job._id);
      await model.deleteMany({ sessionId });
      return ids;
    },
  };
}

/** Access to stored jobs. */
export type JobRepository = ReturnType<typeof createJobRepository>;
