import type { Model } from 'mongoose';
import type { EmbeddedField, FocalPoint, JobKindName, MetadataValues, RequestField } from '#contract';
import { mixed, number, orNull, type RecordOf, schemaOf, text, withDefault } from '../collection.ts';
import type { Connection } from '../connect.ts';

/** A file in use, and the variant that may replace it. */
export interface ReplacedFile {
  name: string;
  /** 0: none is in use. */
  bytes: number;
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
  focalPoint?: FocalPoint;
  renames?: number;
  writer?: string;
  isOtherLanguage?: boolean;
} & Pick<MetadataValues, RequestField> &
  Partial<Pick<MetadataValues, Exclude<EmbeddedField, RequestField>>>;

const jobImagesFields = {
  /** `<jobId>:<from>`, the number with six digits. */
  _id: text(),
  jobId: text(),
  accountId: text(),
  sessionId: text(),
  kind: text<JobKindName>(),
  /** Place of the first image in the request, from 0. */
  from: number(),
  images: mixed<JobImage[]>(),
  /** `kept`: for the server that leads the job, until it offers the job; `open`: for any server; `taken`: `owner` works on it. */
  state: text<'kept' | 'open' | 'taken' | 'done'>(),
  owner: orNull(text()),
  /** How often it was taken. */
  takes: withDefault(number(), 0),
  /** Changes while the owner is alive. */
  beat: withDefault(number(), 0),
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

/** What the blocks of a job have in common. */
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

    /** Opens a taken block again, if its owner has not shown itself since. */
    async reopen({ _id, owner, beat }: UnfinishedBlock): Promise<void> {
      await model.updateOne({ _id, owner, beat, state: 'taken' }, { $set: { state: 'open', owner: null } });
    },

    /** Shows that the owner of blocks is alive. */
    async beat(jobIds: string[], owner: string): Promise<void> {
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

/** Access to the images of jobs. */
export type JobImageRepository = ReturnType<typeof createJobImageRepository>;

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
