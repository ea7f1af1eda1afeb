import type { Connection } from '../connect.ts';
import { type CachedVariantRecord, cachedVariantSchema } from '../models/cached-variant.ts';

export type { CachedVariantRecord };

/** What is in the variant cache. */
export function createCachedVariantRepository(connection: Connection) {
  const model = connection.model<CachedVariantRecord>('CachedVariant', cachedVariantSchema);
  return {
    /** Records a variant, or renews its record. */
    async put(record: CachedVariantRecord): Promise<void> {
      const { _id, ...fields } = record;
      await model.updateOne({ _id }, { $set: fields }, { upsert: true });
    },

    async findMany(keys: string[]): Promise<CachedVariantRecord[]> {
      return model.find({ _id: { $in: keys } }).lean();
    },

    /** An account's variants that were made from uploads of these hashes. */
    async findOfSources(accountId: string, sha256s: string[]): Promise<CachedVariantRecord[]> {
      return model.find({ accountId, sourceSha256: { $in: sha256s } }).lean();
    },

    /** Up to `limit` of an account's variants. */
    async findOfAccount(accountId: string, limit: number): Promise<CachedVariantRecord[]> {
      return model.find({ accountId }).limit(limit).lean();
    },

    /** Notes a use, so that the variant is dropped later. */
    async touch(keys: string[], usedAt: Date): Promise<void> {
      await model.updateMany({ _id: { $in: keys } }, { $set: { usedAt } });
    },

    /** The variants that were not used for longest. */
    async findOldest(limit: number): Promise<CachedVariantRecord[]> {
      return model.find({}).sort({ usedAt: 1 }).limit(limit).lean();
    },

    /** Bytes of all cached variants. */
    async totalBytes(): Promise<number> {
      const [sum] = await model.aggregate<{ bytes: number }>([{ $group: { _id: null, bytes: { $sum: '$size' } } }]);
      return sum?.bytes ?? 0;
    },

    async remove(key: string): Promise<void> {
      await model.deleteOne({ _id: key });
    },
  };
}

/** Access to the records of the variant cache. */
export type CachedVariantRepository = ReturnType<typeof createCachedVariantRepository>;
