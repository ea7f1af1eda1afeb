import type { JobResult } from '#contract';
import type { ImageResultRecord, JobRecord } from '../db/index.ts';
import type { JobKind } from './job-kind.ts';

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
