import type { Job } from '#contract';
import type { ImageResultRecord, JobRecord } from '../db/index.ts';
import { priced } from './finish-job.ts';
import { perImageOf } from './follow-job.ts';

/** A job as callers see it: with its results, or with only the number of finished images. */
export function showJob(job: JobRecord, results: ImageResultRecord[] | number): Job {
  const listed =
    typeof results === 'number' ? {} : { results: results.map(({ result }) => priced(result, perImageOf(job))) };
  return {
    jobId: job._id,
    sessionId: job.sessionId,
    kind: job.kind,
    status: job.state,
    current: typeof results === 'number' ? results : results.length,
    total: job.images.length,
    createdAt: job.createdAt.toISOString(),
    finishedAt: job.finishedAt?.toISOString() ?? null,
    settings: job.settings,
    ...listed,
    summary: job.summary,
    credits: job.credits,
    error: job.error,
  };
}
