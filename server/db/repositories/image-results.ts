import type { JobResult } from '#contract';
import {
  allStored,
  BATCH,
  deleteInBatches,
  mixed,
  number,
  plainCollection,
  type RecordOf,
  schemaOf,
  text,
  unlessDuplicate,
} from '../collection.ts';
import type { Connection } from '../connect.ts';

const imageResultFields = {
  /** `<jobId>:<index>`. */
  _id: text(),
  jobId: text(),
  sessionId: text(),
  /** Place in the request, from 0. */
  index: number(),
  result: mixed<JobResult>(),
};

/** Result of one image of a job; written once, when the image is done. */
export type ImageResultRecord = RecordOf<typeof imageResultFields>;

const imageResultSchema = schemaOf('imageresults', imageResultFields)
  .index({ jobId: 1, index: 1 })
  .index({ sessionId: 1 });

/** Creates the repository of image results, one document each, so that a long job never rewrites finished ones. */
export function createImageResultRepository(connection: Connection) {
  const model = connection.model<ImageResultRecord>('ImageResult', imageResultSchema);
  return {
    /** Stores a result; an existing one is kept, so that an image counts once. */
    async insert(record: ImageResultRecord): Promise<void> {
      await unlessDuplicate(model.collection.insertOne(record as never), undefined);
    },

    /**
     * Stores the results of many images; existing ones are kept.
     * @returns true if all were stored, false if some existed
     */
    async insertMissing(records: ImageResultRecord[]): Promise<boolean> {
      let areNew = true;
      for (let from = 0; from < records.length; from += BATCH) {
        const batch = records.slice(from, from + BATCH) as never[];
        areNew = (await allStored(model.collection.insertMany(batch, { ordered: false }))) && areNew;
      }
      return areNew;
    },

    /** Lists all results of a job, in request order. */
    async findOfJob(jobId: string): Promise<ImageResultRecord[]> {
      return model.find({ jobId }).sort({ jobId: 1, index: 1 }).batchSize(BATCH).lean();
    },

    /** Finds the results of many jobs, of each in request order. */
    async findOfJobs(jobIds: string[]): Promise<Map<string, ImageResultRecord[]>> {
      const found: ImageResultRecord[] = await model
        .find({ jobId: { $in: jobIds } })
        .sort({ jobId: 1, index: 1 })
        .batchSize(BATCH)
        .lean();
      const byJob = new Map(jobIds.map((jobId): [string, ImageResultRecord[]] => [jobId, []]));
      for (const record of found) byJob.get(record.jobId)?.push(record);
      return byJob;
    },

    /** Replaces the result of an image. */
    async update({ _id, result }: ImageResultRecord): Promise<void> {
      await model.updateOne({ _id }, { $set: { result } });
    },

    /** Removes the failures of a job that have this code, so that their images are processed again. */
    async removeFailures(jobId: string, code: string): Promise<void> {
      await model.deleteMany({ jobId, 'result.error.code': code });
    },

    /** Returns which of these places of a job have a result. */
    async findPlaces(jobId: string, places: number[]): Promise<Set<number>> {
      const found = await model
        .find({ _id: { $in: places.map((place) => `${jobId}:${place}`) } })
        .select({ index: 1 })
        .lean();
      return new Set(found.map(({ index }) => index));
    },

    async countOfJob(jobId: string): Promise<number> {
      return model.countDocuments({ jobId });
    },

    async removeOfSession(sessionId: string): Promise<void> {
      await deleteInBatches(plainCollection<ImageResultRecord>(model), { sessionId });
    },
  };
}

/** Access to stored results. */
export type ImageResultRepository = ReturnType<typeof createImageResultRepository>;
