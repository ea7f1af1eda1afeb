import type { JobResult } from '#contract';
import type { JobRecord, PastJobRecord } from '../db/index.ts';
import type { Ending } from './finish-job.ts';
import type { JobKind } from './job-kind.ts';

interface EndedJob {
  job: JobRecord;
  kind: JobKind<JobResult>;
  ending: Ending;
  finishedAt: Date;
}

/** Creates the history record of a job, which outlives its session. */
export function pastJob({ job, kind, ending, finishedAt }: EndedJob): PastJobRecord {
  const { _id, accountId, sessionId, createdAt, total } = job;
  const { completed, originalBytes = 0, outputBytes = 0 } = kind.summarize(ending.results, 0);
  const { charged, refunded } = ending.event.data.credits ?? { charged: 0, refunded: 0 };
  return {
    _id,
    accountId,
    sessionId,
    kind: job.kind,
    state: ending.state,
    total,
    completed,
    bytesBefore: originalBytes,
    bytesAfter: outputBytes,
    credits: charged - refunded,
    createdAt,
    finishedAt,
  };
}
