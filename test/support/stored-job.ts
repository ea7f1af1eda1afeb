import { emptyMetadataValues, pickFields, REQUEST_FIELDS, type UploadResult } from '#contract';
import type { Database, NewJobRecord } from '../../server/db/index.ts';

/** Fields of a job that a test chooses. */
type Chosen = Omit<NewJobRecord, 'sessionId' | 'kind' | 'total'> & Partial<NewJobRecord>;

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
    leaseOwner: 'a-server-that-died',
    ...chosen,
  });
  await jobImages.insert(
    { jobId: chosen._id, accountId: chosen.accountId, sessionId, kind: 'export' },
    images.map(({ id }) => ({ imageId: id, ...pickFields(emptyMetadataValues(), REQUEST_FIELDS) })),
  );
}
