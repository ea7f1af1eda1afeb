import type { Connection } from '../connect.ts';
import { deleteInBatches } from '../delete-in-batches.ts';
import { type JobEventRecord, jobEventSchema } from '../models/job-event.ts';
import { plainCollection } from '../plain-collection.ts';
import { type JobNews, watchJobs } from '../watch-jobs.ts';

export type { JobEventRecord };

/** The last event of a job. */
export type LastStored = Pick<JobEventRecord, 'n' | 'data'> | null;

const DIGITS = 10;

/** Returns the id of an event. */
export function eventId(jobId: string, n: number): string {
  return `${jobId}:${String(n).padStart(DIGITS, '0')}`;
}

/** Ids of the events of a job with a number above `after`. */
function above(jobId: string, after: number): { $gte: string; $lt: string } {
  return { $gte: eventId(jobId, after + 1), $lt: `${jobId};` };
}

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
        const { code, insertedCount } = error as { code?: unknown; insertedCount?: number };
        if (code !== 11000) throw error;
        return insertedCount ?? 0;
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

    /** Reports news of jobs where the database has change streams, until the returned function is called. */
    watch: (news: JobNews): (() => void) => watchJobs(connection.db, news),

    async removeOfJob(jobId: string): Promise<void> {
      await deleteInBatches(collection, { _id: above(jobId, -1) });
    },
  };
}

/** Access to the events of jobs. */
export type JobEventRepository = ReturnType<typeof createJobEventRepository>;
