import type { Metadata } from '#contract';
import type { Connection } from '../connect.ts';
import { type ImageRecord, imageSchema } from '../models/image.ts';
import { plainCollection } from '../plain-collection.ts';

export type { ImageRecord };

/** Uploaded images. Every look-up for a caller carries the account's id. */
export function createImageRepository(connection: Connection) {
  const model = connection.model<ImageRecord>('Image', imageSchema);
  const collection = plainCollection<ImageRecord>(model);
  return {
    async insertMany(images: ImageRecord[]): Promise<void> {
      if (images.length > 0) await collection.insertMany(images, { ordered: true, ignoreUndefined: true });
    },

    /** A session's images, in their order. */
    async findOfSession(accountId: string, sessionId: string): Promise<ImageRecord[]> {
      return model.find({ accountId, sessionId }).sort({ sessionId: 1, position: 1 }).lean();
    },

    async find(accountId: string, sessionId: string, imageId: string): Promise<ImageRecord | null> {
      return model.findOne({ _id: imageId, accountId, sessionId }).lean();
    },

    /** Replaces the metadata of an image as it was read; null when it has been changed or removed since. */
    async replaceMetadata(read: ImageRecord, metadata: Metadata): Promise<ImageRecord | null> {
      const { _id, accountId, metadataVersion } = read;
      return model
        .findOneAndUpdate(
          { _id, accountId, metadataVersion },
          { $set: { metadata }, $inc: { metadataVersion: 1 } },
          { returnDocument: 'after' },
        )
        .lean();
    },

    /** Those of the hashes that an account has an upload of. */
    async sourcesInUse(accountId: string, sha256s: string[]): Promise<Set<string>> {
      const found = await model
        .find({ accountId, sha256: { $in: sha256s } })
        .select({ sha256: 1 })
        .lean();
      return new Set(found.map(({ sha256 }) => sha256));
    },

    async removeOfSession(sessionId: string): Promise<void> {
      await model.deleteMany({ sessionId });
    },
  };
}

/** Access to stored images. */
export type ImageRepository = ReturnType<typeof createImageRepository>;
