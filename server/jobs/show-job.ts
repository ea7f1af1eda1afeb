import type { Job, JobEvent, JobResult } from '#contract';
import type { ImageResultRecord, JobRecord } from '../db/index.ts';
import type { JobKind } from './job-kind.ts';

/** The last event of a job. */
export type LastEvent = Extract<JobEvent, { event: 'complete' | 'error' }>;

/** Converts a job to its public form, with its results or with the number of finished images only. */
export function showJob(job: JobRecord, kind: JobKind<JobResult>, results: ImageResultRecord[] | number): Job {
  const listed = typeof results === 'number' ? {} : { results: showResults(job, kind, results) };
  const shown = {
    jobId: job._id,
    sessionId: job.sessionId,
    kind: job.kind,
    status: job.state,
    current: typeof results === 'number' ? results : results.length,
    total: job.total,
    createdAt: job.createdAt.toISOString(),
    finishedAt: job.finishedAt?.toISOString() ?? null,
    ...kind.showSettings(job),
    ...listed,
    summary: job.summary,
    credits: job.credits,
    error: job.error,
  };
  // The types of settings, results and summary depend on the kind.
  return shown as Job;
}

/** Recreates the last event of an ended job from its record. */
export function replayLastEvent(job: JobRecord, kind: JobKind<JobResult>, records: ImageResultRecord[]): LastEvent {
  const results = showResults(job, kind, records);
  const ids = { jobId: job._id, sessionId: job.sessionId };
  const credits = job.credits ?? { charged: 0, refunded: 0, balance: 0 };
  if (job.state === 'completed' || job.state === 'partial') {
    const lastedMs = (job.finishedAt ?? job.createdAt).getTime() - job.createdAt.getTime();
    const summary = job.summary ?? kind.summarize(results, Math.max(0, lastedMs));
    return {
      event: 'complete',
      data: { ...ids, status: job.state, results, summary, credits, ...kind.completeDetails() },
    };
  }
  const { code, message } = job.error ?? { code: 'processing_failed', message: 'The job failed' };
  return { event: 'error', data: { error: message, code, ...ids, results, credits } };
}

function showResults(job: JobRecord, kind: JobKind<JobResult>, records: ImageResultRecord[]): JobResult[] {
  const perImage = job.credits && job.total > 0 ? job.credits.charged / job.total : 0;
  return records.map(({ result }) => kind.show(result, perImage));
}

/** Returns results of a job as they are now. */
export async function refreshed(
  job: JobRecord,
  kind: JobKind<JobResult>,
  records: ImageResultRecord[],
): Promise<ImageResultRecord[]> {
  if (!kind.refresh) return records;
  const results = await kind.refresh(
    job,
    records.map(({ result }) => result),
  );
  return records.map((record, index) => ({ ...record, result: results[index] ?? record.result }));
}

/** Counts the images that have to be paid. */
export function countDelivered(kind: JobKind<JobResult>, records: Pick<ImageResultRecord, 'result'>[]): number {
  return records.filter(({ result }) => result.status === 'completed' && !kind.isWithoutGain?.(result)).length;
}
