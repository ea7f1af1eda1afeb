import type { InputFormat, LanguageTexts, Metadata, Warning } from '#contract';
import type { InformationKind } from '#contract/constants';
import { allStored, BATCH, deleteInBatches, field, plainCollection, type RecordOf, schemaOf } from '../collection.ts';
import type { Connection } from '../connect.ts';

/** Texts beside the metadata, which are those of the `first` language, by language tag (BCP 47, canonical form). */
export interface OtherTexts {
  first: string;
  others: Record<string, LanguageTexts>;
}

const imageFields = {
  _id: field.text(),
  accountId: field.text(),
  sessionId: field.text(),
  /** Place in the session, from 0: as the caller says, else by arrival. */
  position: field.number(),
  originalFilename: field.text(),
  /** Key of the file in the store; opaque to callers. */
  uploadPath: field.text(),
  mimeType: field.text(),
  format: field.text<InputFormat>(),
  size: field.number(),
  width: field.number(),
  height: field.number(),
  hasAlpha: field.flag(),
  pages: field.number(),
  sha256: field.text(),
  clientRef: field.orNull(field.text()),
  /** Kinds of information in the file. Absent: the image was uploaded to an older version. */
  carries: field.optional(field.typed<InformationKind[]>([String])),
  warnings: field.withDefault(field.mixed<Warning[]>(), []),
  metadata: field.orNull(field.mixed<Metadata>()),
  /** Absent: there are texts in one language alone. */
  texts: field.optional(field.mixed<OtherTexts>()),
  /** Version of metadata and texts, for optimistic locking. */
  metadataVersion: field.number(),
  /** Count of edits of the file name by a person. Absent: never. */
  renames: field.optional(field.number()),
};

/** An uploaded image as stored. */
export type ImageRecord = RecordOf<typeof imageFields>;

const imageSchema = schemaOf('images', imageFields)
  .index({ sessionId: 1, position: 1 })
  .index({ accountId: 1, sha256: 1 });

/** A file that a record names, with what was told of its bytes. */
export interface NamedFile {
  sessionId: string;
  imageId: string;
  path: string;
  size: number;
  sha256: string;
}

/** Creates the repository of uploaded images. Every look-up for a caller includes the account's id. */
export function createImageRepository(connection: Connection) {
  const model = connection.model<ImageRecord>('Image', imageSchema);
  const collection = plainCollection<ImageRecord>(model);
  return {
    /** Inserts images; those whose ids are there stay as they are. */
    async insertMany(images: ImageRecord[]): Promise<void> {
      if (images.length === 0) return;
      await allStored(collection.insertMany(images, { ordered: false, ignoreUndefined: true }));
    },

    /** Lists those of the images that are there, in no order. */
    async findMany(accountId: string, sessionId: string, imageIds: string[]): Promise<ImageRecord[]> {
      return model.find({ _id: { $in: imageIds }, accountId, sessionId }).lean();
    },

    /** Lists a session's images, in order. */
    async findOfSession(accountId: string, sessionId: string): Promise<ImageRecord[]> {
      return model.find({ accountId, sessionId }).sort({ sessionId: 1, position: 1 }).batchSize(BATCH).lean();
    },

    /** Returns the first images of a session, in order. */
    async firstOf(sessionId: string, count: number): Promise<ImageRecord[]> {
      return model.find({ sessionId }).sort({ sessionId: 1, position: 1 }).limit(count).lean();
    },

    /** Counts the images of a session that have an alternative text, or need none. */
    async countDescribed(sessionId: string): Promise<number> {
      const has = [{ 'metadata.alt': { $nin: [null, ''] } }, { 'metadata.decorative': true }];
      return collection.countDocuments({ sessionId, $or: has } as never);
    },

    async find(accountId: string, sessionId: string, imageId: string): Promise<ImageRecord | null> {
      return model.findOne({ _id: imageId, accountId, sessionId }).lean();
    },

    /**
     * Replaces metadata and texts of an image; null if they were changed or it was removed since it was read.
     * @param options.renames edits of the file name that the change contains
     */
    async replaceMetadata(
      read: ImageRecord,
      { metadata, texts }: Pick<ImageRecord, 'metadata' | 'texts'>,
      { renames = 0 }: { renames?: number } = {},
    ): Promise<ImageRecord | null> {
      const { _id, accountId, metadataVersion } = read;
      return model
        .findOneAndUpdate(
          { _id, accountId, metadataVersion },
          {
            $set: { metadata, ...(texts ? { texts } : {}) },
            $inc: { metadataVersion: 1, ...(renames > 0 ? { renames } : {}) },
          },
          { returnDocument: 'after' },
        )
        .lean();
    },

    /** Returns the hashes that an account has an upload of. */
    async sourcesInUse(accountId: string, sha256s: string[]): Promise<Set<string>> {
      const found = await model
        .find({ accountId, sha256: { $in: sha256s } })
        .select({ sha256: 1 })
        .lean();
      return new Set(found.map(({ sha256 }) => sha256));
    },

    /** Reads the file of every image. */
    async *namedFiles(): AsyncGenerator<NamedFile> {
      const fields = { sessionId: 1, uploadPath: 1, size: 1, sha256: 1 };
      for await (const found of collection.find({}, { projection: fields })) {
        const { _id: imageId, sessionId, uploadPath: path, size, sha256 } = found;
        yield { sessionId, imageId, path, size, sha256 };
      }
    },

    async removeOfSession(sessionId: string): Promise<void> {
      await deleteInBatches(collection, { sessionId });
    },
  };
}

/** Access to stored images. */
export type ImageRepository = ReturnType<typeof createImageRepository>;
