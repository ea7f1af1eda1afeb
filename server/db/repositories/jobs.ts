import type { Model } from 'mongoose';
import { type JobKindName, UNFINISHED_JOB_STATES } from '#contract';
import { plainCollection, unlessDuplicate } from '../collection.ts';
import type { Connection } from '../connect.ts';
import { type JobRecord, jobLeases, jobSchema, jobStops } from './job-leases.ts';

/** Fields of a job that a server reads to follow it while another server works on it. */
export type JobState = Pick<
  JobRecord,
  '_id' | 'accountId' | 'kind' | 'leaseOwner' | 'stopRequested' | 'listened' | 'eventBase' | 'lastEvent'
>;

/** Fields written when a job ends. */
export type JobOutcome = Pick<JobRecord, 'state' | 'lastEvent' | 'summary' | 'credits' | 'error'>;

const STATE_FIELDS = {
  accountId: 1,
  kind: 1,
  leaseOwner: 1,
  stopRequested: 1,
  listened: 1,
  eventBase: 1,
  lastEvent: 1,
} satisfies Partial<Record<keyof JobState, 1>>;

/** Creates the repository of jobs and their leases. */
export function createJobRepository(connection: Connection) {
  const model = connection.model<JobRecord>('Job', jobSchema);
  return {
    ...jobLookups(model),
    ...jobLeases(model),
    ...jobStops(model),
    ...jobChanges(model),
  };
}

/** Access to stored jobs. */
export type JobRepository = ReturnType<typeof createJobRepository>;

/** Finds jobs. */
function jobLookups(model: Model<JobRecord>) {
  const collection = plainCollection(model);
  return {
    async find(accountId: string, jobId: string): Promise<JobRecord | null> {
      return model.findOne({ _id: jobId, accountId }).lean();
    },

    /** Returns the present state of those jobs that are there, in one answer of the database. */
    async findStates(jobIds: string[]): Promise<JobState[]> {
      return collection
        .find<JobState>({ _id: { $in: jobIds } }, { projection: STATE_FIELDS, batchSize: jobIds.length + 1 })
        .toArray();
    },

    /** Finds those jobs that have ended. */
    async findEnded(jobIds: string[]): Promise<JobRecord[]> {
      return collection.find({ _id: { $in: jobIds }, lastEvent: { $ne: null } }).toArray();
    },

    /** Lists a session's jobs, newest first. */
    async findOfSession(accountId: string, sessionId: string, limit: number): Promise<JobRecord[]> {
      return model.find({ accountId, sessionId }).sort({ createdAt: -1 }).limit(limit).lean();
    },

    async idsOfSession(sessionId: string): Promise<string[]> {
      return (await model.find({ sessionId }).select({ _id: 1 }).lean()).map(({ _id }) => _id);
    },

    /** Finds a session's newest job of a kind. */
    async findNewest(accountId: string, sessionId: string, kind: JobKindName): Promise<JobRecord | null> {
      return model.findOne({ accountId, sessionId, kind }).sort({ createdAt: -1 }).lean();
    },

    /** Lists an account's unfinished jobs, newest first. */
    async findUnfinishedOfAccount(accountId: string, limit: number): Promise<JobRecord[]> {
      return model
        .find({ accountId, state: { $in: UNFINISHED_JOB_STATES } })
        .sort({ createdAt: -1 })
        .limit(limit)
        .lean();
    },

    /** Returns the ids that an account still has a job of. */
    async findExisting(accountId: string, jobIds: string[]): Promise<Set<string>> {
      const found = await model
        .find({ accountId, _id: { $in: jobIds } })
        .select({ _id: 1 })
        .lean();
      return new Set(found.map(({ _id }) => _id));
    },

    /** Finds the oldest job of which a server may take images of others, of an account that is not listed. */
    async findOffered(helper: string, notOf: string[]): Promise<JobRecord | null> {
      return model
        .findOne({ offered: true, leaseOwner: { $ne: helper }, accountId: { $nin: notOf } })
        .sort({ createdAt: 1 })
        .lean();
    },

    async hasUnfinished(sessionId: string): Promise<boolean> {
      return (await model.countDocuments({ sessionId, state: { $in: UNFINISHED_JOB_STATES } })) > 0;
    },
  };
}

/** Creates, resumes and ends jobs. */
function jobChanges(model: Model<JobRecord>) {
  return {
    /** Inserts a job; false if its id exists. */
    async insert(job: JobRecord): Promise<boolean> {
      const inserted = model.collection.insertOne(job as never).then(() => true);
      return unlessDuplicate(inserted, false);
    },

    /** Sets whether other servers may take images of a job of this owner. */
    async offer(jobId: string, owner: string, offered: boolean): Promise<void> {
      await model.updateOne({ _id: jobId, leaseOwner: owner }, { $set: { offered } });
    },

    /** Counts a process crash during a job and returns the number of crashes. */
    async countCrash(jobId: string): Promise<number> {
      const job = await model
        .findOneAndUpdate({ _id: jobId }, { $inc: { crashes: 1 } }, { returnDocument: 'after' })
        .select({ crashes: 1 })
        .lean();
      return job?.crashes ?? 1;
    },

    /** Resumes a job that stopped because its client left and that cost nothing; null for any other job. */
    async reopen(accountId: string, jobId: string, owner: string, leaseUntil: Date): Promise<JobRecord | null> {
      const left = { accountId, state: 'cancelled' as const, 'error.code': 'client_left', 'credits.charged': 0 };
      const ended = await model.findOne({ _id: jobId, ...left }).lean<JobRecord>();
      if (!ended) return null;
      const { lastEvent } = ended;
      const open = {
        state: 'processing' as const,
        finishedAt: null,
        lastEvent: null,
        error: null,
        eventBase: lastEvent ?? -1,
      };
      return model
        .findOneAndUpdate(
          { _id: jobId, ...left, lastEvent },
          { $set: { ...open, leaseOwner: owner, leaseUntil }, $inc: { attempts: 1 } },
          { returnDocument: 'after' },
        )
        .lean();
    },

    /** Stores the outcome of a job of this owner; false if the lease was lost. */
    async finish(jobId: string, owner: string, finishedAt: Date, outcome: JobOutcome): Promise<boolean> {
      const updated = await model.updateOne(
        { _id: jobId, leaseOwner: owner, state: { $in: UNFINISHED_JOB_STATES } },
        { $set: { ...outcome, finishedAt, leaseOwner: null, offered: false } },
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
