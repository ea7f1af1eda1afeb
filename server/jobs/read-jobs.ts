import { type Job, type JobState, UNFINISHED_JOB_STATES } from '#contract';
import { outlastOutage } from '../concurrency.ts';
import type { JobRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { NumberedEvent } from './event-log.ts';
import type { JobsContext } from './jobs-context.ts';
import { countDelivered, refreshed, showJob } from './show-job.ts';

const JOBS_SHOWN = 50;

/** Returns a job of the account. @throws job_not_found */
export async function findJob({ repositories }: JobsContext, accountId: string, jobId: string): Promise<JobRecord> {
  const job = await repositories.jobs.find(accountId, jobId);
  if (!job) throw new AppError('job_not_found', `No job ${jobId}`);
  return job;
}

/** Returns a job with its results. @throws job_not_found */
export async function readJob(context: JobsContext, accountId: string, jobId: string): Promise<Job> {
  const job = await findJob(context, accountId, jobId);
  const kind = context.kinds[job.kind];
  return showJob(job, kind, await refreshed(job, kind, await context.repositories.imageResults.findOfJob(jobId)));
}

/** Lists a session's newest jobs, without results. */
export async function listJobs(
  { repositories, kinds }: JobsContext,
  accountId: string,
  sessionId: string,
): Promise<Job[]> {
  const { jobs, imageResults } = repositories;
  const found = await jobs.findOfSession(accountId, sessionId, JOBS_SHOWN);
  return Promise.all(found.map(async (job) => showJob(job, kinds[job.kind], await imageResults.countOfJob(job._id))));
}

/** Returns true when the account has a job that was started, on any server, and so has or will have events. */
export async function isStarted(
  { repositories, live }: JobsContext,
  accountId: string,
  jobId: string,
): Promise<boolean> {
  const job = await repositories.jobs.find(accountId, jobId);
  return job !== null && (job.state !== 'created' || live.has(jobId));
}

/** Returns the counts by which a job is settled, `running` while it is unfinished, null when it does not exist. */
export async function outcomeOf({ repositories, kinds }: JobsContext, accountId: string, jobId: string) {
  const job = await repositories.jobs.find(accountId, jobId);
  if (!job) return null;
  if (isUnfinished(job)) return 'running' as const;
  const results = await repositories.imageResults.findOfJob(jobId);
  return { total: job.total, completed: countDelivered(kinds[job.kind], results) };
}

/** Returns true for a state before the job's end. */
export function isUnfinished({ state }: { state: JobState }): boolean {
  return (UNFINISHED_JOB_STATES as readonly JobState[]).includes(state);
}

/**
 * Yields the events of a job with a number above `after`, up to its last one or until the signal aborts, whichever server works
 * on it, also when another one takes it over. Ends without a last event only when the job is removed.
 */
export async function* followJob(
  { feeds, live, repositories }: JobsContext,
  job: JobRecord,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent> {
  let seen = after;
  while (!signal.aborted) {
    const feed = feeds.open(job._id);
    const leave = live.get(job._id)?.listening.join();
    try {
      await feed.ready;
      const hasEnded = feed.log.closed;
      for await (const event of feed.log.read(seen, signal)) {
        // Its client has seen the last event.
        if (hasEnded && event.n <= after) return;
        seen = Math.max(seen, event.n);
        yield event;
        if (event.event !== 'progress') return;
      }
    } finally {
      leave?.();
      feeds.release(feed);
    }
    if (signal.aborted) return;
    if (!(await outlastOutage(() => repositories.jobs.find(job.accountId, job._id), signal))) return;
  }
}
