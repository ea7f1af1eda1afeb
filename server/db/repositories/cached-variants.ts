import type { EncodedFormat, StoppedReason, Warning } from '#contract';
import { BATCH, field, plainCollection, type RecordOf, schemaOf, unlessDuplicate } from '../collection.ts';
import type { Connection } from '../connect.ts';

const cachedVariantFields = {
  /** Hash of everything that determines the bytes. */
  _id: field.text(),
  accountId: field.text(),
  /** Hash of the source upload. */
  sourceSha256: field.text(),
  /** Key of the file in the store. */
  path: field.text(),
  size: field.number(),
  width: field.number(),
  height: field.number(),
  format: field.text<EncodedFormat>(),
  mimeType: field.text(),
  sha256: field.text(),
  quality: field.orNull(field.mixed<number | 'lossless'>()),
  /** SSIMULACRA2 score; null: not measured. */
  score: field.orNull(field.number()),
  /** False if the file stays below the preset's target. */
  reached: field.withDefault(field.flag(), true),
  /** Reason why the file stays below its target; absent if it reaches it, and in records of earlier versions. */
  stopped: field.optional(field.text<StoppedReason>()),
  /** Bytes that a file with the target would have, estimated; of one that stopped at the knee. */
  estimatedBytes: field.optional(field.number()),
  keptOriginal: field.flag(),
  warnings: field.withDefault(field.mixed<Warning[]>(), []),
  /** True until it was paid for, or counted as a sample of the day. */
  isUncounted: field.optional(field.flag()),
  /** True once bytes of the file were found to be other ones, until it is made again. */
  isDamaged: field.optional(field.flag<true>()),
  usedAt: field.date(),
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
      // No upsert: of two at once, servers differ in what the later one gets.
      for (;;) {
        const inserted = collection.insertOne(record, { ignoreUndefined: true }).then(() => true);
        if (await unlessDuplicate(inserted, false)) return null;
        const options = { ignoreUndefined: true, returnDocument: 'before' } as const;
        const change = { $set: fields, $unset: { isDamaged: true as const } };
        const before = await collection.findOneAndUpdate({ _id }, change, options);
        if (before) return before.path;
      }
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

    /** Records that a file has other bytes than its record tells, unless the record has got another file meanwhile. */
    async markDamaged({ _id, path }: Pick<CachedVariantRecord, '_id' | 'path'>): Promise<void> {
      await collection.updateOne({ _id, path }, { $set: { isDamaged: true } });
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
