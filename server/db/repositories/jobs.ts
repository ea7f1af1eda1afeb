import type { Model } from 'mongoose';
import { type JobCredits, type JobKindName, type JobState, type JobSummary, UNFINISHED_JOB_STATES } from '#contract';
import { field, insertCompleted, type NewRecordOf, plainCollection, type RecordOf, schemaOf } from '../collection.ts';
import type { Connection } from '../connect.ts';

const jobFields = {
  _id: field.text(),
  accountId: field.text(),
  sessionId: field.text(),
  kind: field.text<JobKindName>(),
  state: field.text<JobState>(),
  /** Number of images. */
  total: field.number(),
  /** Images that are charged. Absent: all, or of an earlier version. */
  payable: field.optional(field.number()),
  /** Settings of the job kind for all images. */
  settings: field.mixed<unknown>(),
  createdAt: field.date(),
  finishedAt: field.orNull(field.date()),
  /** Process that holds the lease, until `leaseUntil`. */
  leaseOwner: field.orNull(field.text()),
  leaseUntil: field.date(),
  /** Number of resumptions. */
  attempts: field.withDefault(field.number(), 0),
  /** Number of process crashes during the job. */
  crashes: field.withDefault(field.number(), 0),
  /** Requested stop reason, or null. */
  stopRequested: field.orNull(field.text<'job_cancelled' | 'session_deleted'>()),
  /** True while other servers may take images of it. */
  offered: field.withDefault(field.flag(), false),
  /** Heartbeat of listeners on other servers. */
  listened: field.withDefault(field.number(), 0),
  /** Last event number of the previous run, which a client may have seen; -1 if none. */
  eventBase: field.withDefault(field.number(), -1),
  /** Number of the terminal event; null while the job is unfinished. */
  lastEvent: field.orNull(field.number()),
  summary: field.orNull(field.mixed<JobSummary>()),
  credits: field.orNull(field.mixed<JobCredits>()),
  error: field.orNull(field.mixed<{ code: string; message: string }>()),
};

/** A job as stored, without its images, which are apart so that it stays small. */
export type JobRecord = RecordOf<typeof jobFields>;

/** A job that is not stored yet. */
export type NewJobRecord = NewRecordOf<typeof jobFields>;

/** Schema of {@link JobRecord}. */
const jobSchema = schemaOf('jobs', jobFields)
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

const STATE_NAMES = ['accountId', 'kind', 'leaseOwner', 'stopRequested', 'listened', 'eventBase', 'lastEvent'] as const;

/** Fields of a job that a server reads to follow it while another server works on it. */
export type FollowedState = Pick<JobRecord, '_id' | (typeof STATE_NAMES)[number]>;

/** Fields written when a job ends. */
export type JobOutcome = Pick<JobRecord, 'state' | 'lastEvent' | 'summary' | 'credits' | 'error'>;

const STATE_FIELDS = Object.fromEntries(STATE_NAMES.map((name) => [name, 1]));

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

/** Finds jobs. */
function jobLookups(model: Model<JobRecord>) {
  const collection = plainCollection(model);
  return {
    async find(accountId: string, jobId: string): Promise<JobRecord | null> {
      return model.findOne({ _id: jobId, accountId }).lean();
    },

    /** Returns the present state of those jobs that are there, in one answer of the database. */
    async findStates(jobIds: string[]): Promise<FollowedState[]> {
      return collection
        .find<FollowedState>({ _id: { $in: jobIds } }, { projection: STATE_FIELDS, batchSize: jobIds.length + 1 })
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
    /** Inserts a job and returns it; null if its id exists. */
    insert: (job: NewJobRecord): Promise<JobRecord | null> => insertCompleted(model, jobFields, job),

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

/** Takes, renews and releases the leases of jobs. */
function jobLeases(model: Model<JobRecord>) {
  return {
    /** Begins the work on a job of this owner and returns the job; null if the lease was lost. */
    async begin(jobId: string, owner: string): Promise<JobRecord | null> {
      return model
        .findOneAndUpdate(
          { _id: jobId, leaseOwner: owner, state: { $in: UNFINISHED_JOB_STATES } },
          { $set: { state: 'processing' } },
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
function jobStops(model: Model<JobRecord>) {
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
      const unfinished = { _id: { $in: jobIds }, state: { $in: UNFINISHED_JOB_STATES } };
      await model.updateMany(unfinished, { $inc: { listened: 1 } });
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
