import type { Connection } from '../connect.ts';
import { unlessDuplicate } from '../duplicate-key.ts';
import { type ImageResultRecord, imageResultSchema, type StoredEvent } from '../models/image-result.ts';

export type { ImageResultRecord, StoredEvent };

/** Results of images, one document each, so that a long job never rewrites what is done. */
export function createImageResultRepository(connection: Connection) {
  const model = connection.model<ImageResultRecord>('ImageResult', imageResultSchema);
  return {
    /** Stores a result; one that is there already stays, so an image counts once whoever worked on it. */
    async insert(record: ImageResultRecord): Promise<void> {
      await unlessDuplicate(model.collection.insertOne(record as never), undefined);
    },

    /** All results of a job, in request order. */
    async findOfJob(jobId: string): Promise<ImageResultRecord[]> {
      return model.find({ jobId }).sort({ jobId: 1, index: 1 }).lean();
    },

    /** Forgets the failures of a job that have this code, so that their images are done again. */
    async removeFailures(jobId: string, code: string): Promise<void> {
      await model.deleteMany({ jobId, 'result.error.code': code });
    },

    async countOfJob(jobId: string): Promise<number> {
      return model.countDocuments({ jobId });
    },

    async removeOfSession(sessionId: string): Promise<void> {
      await model.deleteMany({ sessionId });
    },
  };
}

/** Access to stored results. */
export type ImageResultRepository = ReturnType<typeof createImageResultRepository>;
