import { emptyMetadataValues, pickFields, REQUEST_FIELDS, type UploadResult } from '#contract';
import type { Database, JobRecord } from '../../server/db/index.ts';

/** Fields of a job that a test chooses. */
type Chosen = Pick<JobRecord, '_id' | 'accountId' | 'state' | 'settings' | 'createdAt' | 'leaseUntil'> &
  Partial<JobRecord>;

/** Stores an export of uploaded images as a server that died has left it. */
export async function storeJob(
  { jobs, jobImages }: Pick<Database, 'jobs' | 'jobImages'>,
  { sessionId, images }: UploadResult,
  chosen: Chosen,
): Promise<void> {
  await jobs.insert({
    sessionId,
    kind: 'export',
    total: images.length,
    finishedAt: null,
    leaseOwner: 'a-server-that-died',
    attempts: 0,
    crashes: 0,
    stopRequested: null,
    offered: false,
    listened: 0,
    eventBase: -1,
    lastEvent: null,
    summary: null,
    credits: null,
    error: null,
    ...chosen,
  });
  await jobImages.insert(
    { jobId: chosen._id, accountId: chosen.accountId, sessionId, kind: 'export' },
    images.map(({ id }) => ({ imageId: id, ...pickFields(emptyMetadataValues(), REQUEST_FIELDS) })),
  );
}
