import type { Model } from 'mongoose';
import type { EmbeddedField, FocalPoint, JobKindName, JobResult, MetadataValues, RequestField } from '#contract';
import {
  allStored,
  BATCH,
  deleteInBatches,
  field,
  plainCollection,
  type RecordOf,
  schemaOf,
  unlessDuplicate,
} from '../collection.ts';
import type { Connection } from '../connect.ts';

/** A file in use, and the variant that may replace it. */
export interface ReplacedFile {
  name: string;
  /** 0: none is in use. */
  bytes: number;
}

/** Bytes that some variants have to save together. */
export interface LeastGain {
  bytes: number;
  of: string[];
}

/**
 * One image of a job. A null `filename` stands for the original's. Fields that requests do not carry come from
 * the stored metadata, and are absent if the request has metadata of its own. `replaces` is present if only smaller files
 * are delivered. `focalPoint` overrides that of the settings. `renames` is that of the image at the request; absent: 0.
 * `writer`: vision model that wrote at least one of the texts. `isOtherLanguage`: the texts are not in the language of the settings, since the image has none in it.
 */
export type JobImage = {
  imageId: string;
  unknownFields?: string[];
  replaces?: ReplacedFile[];
  leastGain?: LeastGain;
  focalPoint?: FocalPoint;
  renames?: number;
  writer?: string;
  isOtherLanguage?: boolean;
} & Pick<MetadataValues, RequestField> &
  Partial<Pick<MetadataValues, Exclude<EmbeddedField, RequestField>>>;

const jobImagesFields = {
  /** `<jobId>:<from>`, the number with six digits. */
  _id: field.text(),
  jobId: field.text(),
  accountId: field.text(),
  sessionId: field.text(),
  kind: field.text<JobKindName>(),
  /** Place of the first image in the request, from 0. */
  from: field.number(),
  images: field.mixed<JobImage[]>(),
  /** `kept`: for the server that leads the job, until it offers the job; `open`: for any server; `taken`: `owner` works on it. */
  state: field.text<'kept' | 'open' | 'taken' | 'done'>(),
  owner: field.orNull(field.text()),
  /** Number of times it was taken. */
  takes: field.withDefault(field.number(), 0),
  /** Changes while the owner is alive. */
  beat: field.withDefault(field.number(), 0),
};

/** Some consecutive images of a job: apart from the job, which stays small, and what a server takes at a time. */
export type JobImagesRecord = RecordOf<typeof jobImagesFields>;

const jobImagesSchema = schemaOf('job_images', jobImagesFields)
  .index({ jobId: 1, from: 1 })
  .index({ sessionId: 1 })
  .index({ state: 1, jobId: 1 });

/** Most images of a block: few, so that all servers end a large job at the same time. */
const MOST_IN_BLOCK = 4;
/** Blocks at which blocks get larger. */
const BLOCKS_AT_LEAST = 16;

/** Fields that the blocks of a job have in common. */
type Owner = Pick<JobImagesRecord, 'jobId' | 'accountId' | 'sessionId' | 'kind'>;

/** Creates the repository of the images of jobs, in blocks. */
export function createJobImageRepository(connection: Connection) {
  const model = connection.model<JobImagesRecord>('JobImages', jobImagesSchema);
  return {
    /** Stores the images of a job, in request order. */
    async insert(owner: Owner, images: JobImage[]): Promise<void> {
      await model.collection.insertMany(blocksOf(owner, images) as never[]);
    },

    /** Lists the images of a job, in request order. */
    async findOfJob(jobId: string): Promise<JobImage[]> {
      const blocks = await model.find({ jobId }).sort({ jobId: 1, from: 1 }).select({ images: 1 }).lean();
      return blocks.flatMap(({ images }) => images);
    },

    ...sharing(model),

    async removeOfJob(jobId: string): Promise<void> {
      await model.deleteMany({ jobId });
    },

    async removeOfSession(sessionId: string): Promise<void> {
      await model.deleteMany({ sessionId });
    },
  };
}

/** A block that is not done, as another server sees it. */
export type UnfinishedBlock = Pick<JobImagesRecord, '_id' | 'state' | 'owner' | 'beat'>;

/** Shares blocks between servers. */
function sharing(model: Model<JobImagesRecord>) {
  return {
    /** Takes the first open block of a job; null if there is none. */
    async take(jobId: string, owner: string): Promise<JobImagesRecord | null> {
      return model
        .findOneAndUpdate(
          { jobId, state: 'open' },
          { $set: { state: 'taken', owner }, $inc: { takes: 1 } },
          { sort: { from: 1 }, returnDocument: 'after' },
        )
        .lean();
    },

    /** Returns true if any block of a job was ever taken. */
    async wasTaken(jobId: string): Promise<boolean> {
      return (await model.exists({ jobId, takes: { $gt: 0 } })) !== null;
    },

    /** Records that all images of a block have ended. */
    async finish(blockId: string, owner: string): Promise<void> {
      await model.updateOne({ _id: blockId, owner, state: 'taken' }, { $set: { state: 'done', owner: null } });
    },

    /** Opens what an owner has taken of a job, and what was kept for the server that leads it. */
    async giveBack(jobId: string, owner: string): Promise<void> {
      const given = [{ owner, state: 'taken' as const }, { state: 'kept' as const }];
      await model.updateMany({ jobId, $or: given }, { $set: { state: 'open', owner: null } });
    },

    /**
     * Opens what an owner has taken of a job but does not work on: the answer to its taking was lost.
     * @param held ids of the blocks that it works on
     * @returns true if there was any
     */
    async release(jobId: string, owner: string, held: string[]): Promise<boolean> {
      const lost = { jobId, owner, state: 'taken' as const, _id: { $nin: held } };
      const { modifiedCount } = await model.updateMany(lost, { $set: { state: 'open', owner: null } });
      return modifiedCount > 0;
    },

    /** Opens a taken block again, if its owner has not shown itself since. */
    async reopen({ _id, owner, beat }: UnfinishedBlock): Promise<void> {
      await model.updateOne({ _id, owner, beat, state: 'taken' }, { $set: { state: 'open', owner: null } });
    },

    /** Shows that the owner of blocks is alive. */
    async heartbeat(jobIds: string[], owner: string): Promise<void> {
      await model.updateMany({ jobId: { $in: jobIds }, owner, state: 'taken' }, { $inc: { beat: 1 } });
    },

    /** Lists the blocks of a job that are open or taken. */
    async findUnfinished(jobId: string): Promise<UnfinishedBlock[]> {
      return model
        .find({ jobId, state: { $in: ['open', 'taken'] } })
        .select({ state: 1, owner: 1, beat: 1 })
        .lean();
    },
  };
}

/** Divides the images of a job into blocks. */
export function blocksOf(owner: Owner, images: JobImage[]): JobImagesRecord[] {
  const size = Math.min(MOST_IN_BLOCK, Math.max(1, Math.floor(images.length / BLOCKS_AT_LEAST)));
  return Array.from({ length: Math.ceil(images.length / size) }, (_, block) => {
    const from = block * size;
    return {
      _id: `${owner.jobId}:${String(from).padStart(6, '0')}`,
      ...owner,
      from,
      images: images.slice(from, from + size),
      state: 'kept',
      owner: null,
      takes: 0,
      beat: 0,
    };
  });
}

const imageResultFields = {
  /** `<jobId>:<index>`. */
  _id: field.text(),
  jobId: field.text(),
  sessionId: field.text(),
  /** Place in the request, from 0. */
  index: field.number(),
  result: field.mixed<JobResult>(),
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
    async findIndexes(jobId: string, indexes: number[]): Promise<Set<number>> {
      const found = await model
        .find({ _id: { $in: indexes.map((index) => `${jobId}:${index}`) } })
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
