import type { Connection } from '../connect.ts';
import { type CachedVariantRecord, cachedVariantSchema } from '../models/cached-variant.ts';
import { plainCollection } from '../plain-collection.ts';

export type { CachedVariantRecord };

/** Creates the repository of the variant cache. */
export function createCachedVariantRepository(connection: Connection) {
  const model = connection.model<CachedVariantRecord>('CachedVariant', cachedVariantSchema);
  const collection = plainCollection<CachedVariantRecord>(model);
  return {
    /** Inserts or replaces the record of a variant. */
    async put(record: CachedVariantRecord): Promise<void> {
      const { _id, ...fields } = record;
      await collection.updateOne({ _id }, { $set: fields }, { upsert: true, ignoreUndefined: true });
    },

    async findMany(keys: string[]): Promise<CachedVariantRecord[]> {
      return collection.find({ _id: { $in: keys } }).toArray();
    },

    /** Lists an account's variants of uploads with these hashes. */
    async findOfSources(accountId: string, sha256s: string[]): Promise<CachedVariantRecord[]> {
      return model.find({ accountId, sourceSha256: { $in: sha256s } }).lean();
    },

    /** Lists up to `limit` variants of an account. */
    async findOfAccount(accountId: string, limit: number): Promise<CachedVariantRecord[]> {
      return model.find({ accountId }).limit(limit).lean();
    },

    /** Records a use, which delays the eviction. */
    async touch(keys: string[], usedAt: Date): Promise<void> {
      await model.updateMany({ _id: { $in: keys } }, { $set: { usedAt } });
    },

    /** Lists the least recently used variants. */
    async findOldest(limit: number): Promise<CachedVariantRecord[]> {
      return model.find({}).sort({ usedAt: 1 }).limit(limit).lean();
    },

    /** Sums the bytes of all cached variants. */
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
