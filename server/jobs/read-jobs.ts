import { type Job, type JobState, UNFINISHED_JOB_STATES } from '#contract';
import type { JobRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { countDelivered } from './finish-job.ts';
import type { JobsContext } from './jobs-context.ts';
import { refreshed } from './refresh-results.ts';
import { showJob } from './show-job.ts';

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
  { repositories, runner }: JobsContext,
  accountId: string,
  jobId: string,
): Promise<boolean> {
  const job = await repositories.jobs.find(accountId, jobId);
  return job !== null && (job.state !== 'created' || runner.has(jobId));
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
