import type { EncodedFormat, Warning } from '#contract';
import {
  BATCH,
  date,
  flag,
  mixed,
  number,
  optional,
  orNull,
  plainCollection,
  type RecordOf,
  schemaOf,
  text,
  withDefault,
} from '../collection.ts';
import type { Connection } from '../connect.ts';

const cachedVariantFields = {
  /** Hash of everything that determines the bytes. */
  _id: text(),
  accountId: text(),
  /** Hash of the source upload. */
  sourceSha256: text(),
  /** Key of the file in the store. */
  path: text(),
  size: number(),
  width: number(),
  height: number(),
  format: text<EncodedFormat>(),
  mimeType: text(),
  sha256: text(),
  quality: orNull(mixed<number | 'lossless'>()),
  /** SSIMULACRA2 score; null: not measured. */
  score: orNull(number()),
  /** False if the format cannot reach the preset's target. */
  reached: withDefault(flag(), true),
  keptOriginal: flag(),
  warnings: withDefault(mixed<Warning[]>(), []),
  /** True until it was paid for, or counted as a sample of the day. */
  isUncounted: optional(flag()),
  usedAt: date(),
};

/** A cached variant: an encoded file that can be delivered again. */
export type CachedVariantRecord = RecordOf<typeof cachedVariantFields>;

const cachedVariantSchema = schemaOf('variants', cachedVariantFields)
  .index({ usedAt: 1 })
  .index({ accountId: 1, sourceSha256: 1 });

/** Creates the repository of the variant cache. */
export function createCachedVariantRepository(connection: Connection) {
  const model = connection.model<CachedVariantRecord>('CachedVariant', cachedVariantSchema);
  const collection = plainCollection<CachedVariantRecord>(model);
  return {
    /** Inserts or replaces the record of a variant. Returns the file of the replaced one; null if there was none. */
    async put(record: CachedVariantRecord): Promise<string | null> {
      const { _id, ...fields } = record;
      const before = await collection.findOneAndUpdate(
        { _id },
        { $set: fields },
        { upsert: true, ignoreUndefined: true, returnDocument: 'before' },
      );
      return before?.path ?? null;
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

    /** Records that variants were paid for, or counted as samples. */
    async markCounted(keys: string[]): Promise<void> {
      await collection.updateMany({ _id: { $in: keys } }, { $unset: { isUncounted: true } });
    },

    /** Lists the least recently used variants. */
    async findOldest(limit: number): Promise<CachedVariantRecord[]> {
      return model.find({}).sort({ usedAt: 1 }).limit(limit).lean();
    },

    /** Sums the bytes of all cached variants. Reads them in batches, so that other work runs in between. */
    async totalBytes(): Promise<number> {
      let bytes = 0;
      const sizes = collection.find({}, { projection: { _id: 0, size: 1 }, batchSize: BATCH });
      for await (const { size } of sizes) bytes += size;
      return bytes;
    },

    /** Removes records, unless they have got another file meanwhile. */
    async removeMany(records: Pick<CachedVariantRecord, '_id' | 'path'>[]): Promise<void> {
      if (records.length === 0) return;
      await collection.bulkWrite(records.map(({ _id, path }) => ({ deleteOne: { filter: { _id, path } } })));
    },
  };
}

/** Access to the records of the variant cache. */
export type CachedVariantRepository = ReturnType<typeof createCachedVariantRepository>;
