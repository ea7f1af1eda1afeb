import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, JobState } from '#contract';
import { AppError } from '../errors.ts';
import { type JobsContext, POLL_EVERY_MS } from './jobs-context.ts';
import { findJob, isUnfinished, readJob } from './read-jobs.ts';
import { startJob, stopJob } from './run-jobs.ts';

/** Longest wait of a cancellation for the server that works on the job, in milliseconds. */
const CANCEL_WAIT_MS = 2000;

/**
 * Cancels a job, on whichever server it runs, and refunds the images that were not completed.
 * @throws job_not_found; job_finished if it has ended, or ends before the cancellation reaches its server
 */
export async function cancelJob(context: JobsContext, accountId: string, jobId: string): Promise<Job> {
  const job = await findJob(context, accountId, jobId);
  const requested = isUnfinished(job) && (await context.repositories.jobs.requestCancel(accountId, jobId));
  if (!requested) throw finished(jobId, job.state);
  if (!(await stopJob(context, jobId, 'job_cancelled'))) await waitForEnd(context, accountId, jobId);
  const shown = await readJob(context, accountId, jobId);
  if (!isUnfinished({ state: shown.status }) && shown.status !== 'cancelled') throw finished(jobId, shown.status);
  return shown;
}

function finished(jobId: string, status: JobState): AppError {
  return new AppError('job_finished', `Job ${jobId} has already ended`, { details: { status } });
}

/** Waits for the end of a job on another server, so that the reply shows what it cost. */
async function waitForEnd(context: JobsContext, accountId: string, jobId: string): Promise<void> {
  const deadline = performance.now() + CANCEL_WAIT_MS;
  while (performance.now() < deadline && isUnfinished(await findJob(context, accountId, jobId)))
    await sleep(POLL_EVERY_MS);
}

/**
 * Restarts a job that ended because its client left, for a client that returns. Completed images stay completed.
 * @returns false when the job ended for another reason, or had a price and was settled
 */
export async function reopenJob(context: JobsContext, accountId: string, jobId: string): Promise<boolean> {
  const { repositories, live, instanceId } = context;
  const job = await repositories.jobs.reopen(accountId, jobId, instanceId, context.leaseEnd());
  if (!job) return false;
  await repositories.imageResults.removeFailures(jobId, 'client_left');
  const done = await repositories.imageResults.countOfJob(jobId);
  // The end is stored shortly before the work in this process ends.
  await live.get(jobId)?.ended;
  startJob(context, job, null, done);
  return true;
}

/**
 * Stops the jobs of a session on all servers, before its files are removed.
 * @returns false when one of them has not ended within two lease times
 */
export async function stopJobsOfSession(context: JobsContext, sessionId: string): Promise<boolean> {
  const { repositories, live, leaseMs } = context;
  const { jobs } = repositories;
  const deadline = performance.now() + leaseMs * 2;
  await jobs.requestStopOfSession(sessionId);
  for (;;) {
    const running = [...live.values()].filter(({ job }) => job.sessionId === sessionId);
    await Promise.all(running.map(({ job }) => stopJob(context, job._id, 'session_deleted')));
    if (!(await jobs.hasUnfinished(sessionId))) return true;
    if (performance.now() > deadline) return false;
    // A job that is being charged starts and stops at once; the job of a dead server is taken over when its lease ends.
    await sleep(POLL_EVERY_MS);
    await jobs.requestStopOfSession(sessionId);
  }
}
