import { setTimeout as sleep } from 'node:timers/promises';
import type { ExportEvent } from '#contract';
import type { JobRecord, Repositories } from '../db/index.ts';
import { outlastOutage } from './database-outage.ts';
import type { NumberedEvent } from './event-log.ts';
import { priced } from './finish-job.ts';
import { eventsOf, type JobRunner } from './job-runner.ts';
import { summarize } from './results.ts';

/** How often a job that another server runs is looked at, in milliseconds. */
const POLL_MS = 500;

interface FollowDeps {
  repositories: Pick<Repositories, 'jobs' | 'imageResults'>;
  runner: Pick<JobRunner, 'logOf'>;
}

/** Builds the one way to read a job's events: live from memory, replayed from the store, or from another server's work. */
export function createFollowJob({ repositories, runner }: FollowDeps) {
  /**
   * Events of a job with a number above `after`, up to its last one or until the signal aborts, whoever works on it in
   * the meantime. Ends without a last event only when the job is removed.
   */
  return async function* followJob(job: JobRecord, after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent> {
    let seen = after;
    while (!signal.aborted) {
      const log = runner.logOf(job._id);
      if (log) {
        for await (const event of log.read(seen, signal)) {
          seen = event.n;
          yield event;
          if (event.event !== 'progress') return;
        }
        if (signal.aborted) return;
      }
      const current = await outlastOutage(() => repositories.jobs.find(job.accountId, job._id), signal);
      if (!current) return;
      const stored = await outlastOutage(() => repositories.imageResults.findOfJob(job._id), signal);
      for (const event of eventsOf(stored)) {
        if (event.n > seen) {
          seen = event.n;
          yield event;
        }
      }
      if (current.lastEvent !== null) {
        if (current.lastEvent > seen) yield { n: current.lastEvent, ...(await replayEnd(current)) };
        return;
      }
      await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    }
  };

  async function replayEnd(job: JobRecord): Promise<Extract<ExportEvent, { event: 'complete' | 'error' }>> {
    const records = await repositories.imageResults.findOfJob(job._id);
    const results = records.map(({ result }) => priced(result, perImageOf(job)));
    const ids = { jobId: job._id, sessionId: job.sessionId };
    const credits = job.credits ?? { charged: 0, refunded: 0, balance: 0 };
    if (job.state === 'completed' || job.state === 'partial') {
      const summary = job.summary ?? summarize(job, results, job.finishedAt ?? job.createdAt);
      return { event: 'complete', data: { ...ids, status: job.state, results, summary, credits } };
    }
    const { code, message } = job.error ?? { code: 'processing_failed', message: 'The job failed' };
    return { event: 'error', data: { error: message, code, ...ids, results, credits } };
  }
}

/** What one image of a finished job cost, from what the job cost. */
export function perImageOf(job: JobRecord): number {
  return job.credits && job.images.length > 0 ? job.credits.charged / job.images.length : 0;
}
