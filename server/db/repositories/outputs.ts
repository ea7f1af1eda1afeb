import type { mongo } from 'mongoose';
import type { EncodedFormat, StoppedReason, Warning } from '#contract';
import {
  BATCH,
  deleteInBatches,
  field,
  plainCollection,
  type RecordOf,
  schemaOf,
  unlessDuplicate,
} from '../collection.ts';
import type { Connection } from '../connect.ts';
import type { NamedFile } from './images.ts';

/** One exported file of an {@link OutputRecord}. */
export interface OutputFile {
  variant: string;
  filename: string;
  /** Key of the file in the store. */
  path: string;
  size: number;
  width: number;
  height: number;
  mimeType: string;
  sha256: string;
}

/** A name that a file had before it was renamed. */
export interface FormerName {
  filename: string;
  /** Key of the name; also in `names`. */
  key: string;
  variant: string;
}

const outputFields = {
  /** `<namespace>:<imageId>:<hash of the settings>`. */
  _id: field.text(),
  accountId: field.text(),
  sessionId: field.text(),
  namespace: field.text(),
  /** Keys of all file names; unique in the namespace, so that one write reserves all or none. */
  names: field.typed<string[]>([String]),
  files: field.mixed<OutputFile[]>(),
  /** Ids of the cached variants that the files were made as; equal ones share a file. Absent: an earlier version. */
  contents: field.optional(field.typed<string[]>([String])),
  updatedAt: field.date(),
  /** Counts the writes of the record. Absent: an earlier version. */
  version: field.optional(field.number()),
  /** True for files that were renamed after their export. */
  renamed: field.optional(field.flag<true>()),
  /** Names that the files had before, oldest first. They stay reserved and lead to the files. */
  former: field.optional(field.mixed<FormerName[]>()),
};

/** The files that one image has in one namespace for one set of settings. */
export type OutputRecord = RecordOf<typeof outputFields>;

const outputSchema = schemaOf('outputs', outputFields)
  .index({ namespace: 1, names: 1 }, { unique: true })
  .index({ sessionId: 1, contents: 1 })
  .index({ contents: 1 })
  .index({ namespace: 1, renamed: 1 }, { partialFilterExpression: { renamed: true } });

/** Files that a publication replaces. */
type Replaced = Pick<OutputRecord, 'files' | 'contents'>;

/** Creates the repository of exported files and their names in a namespace. */
export function createOutputRepository(connection: Connection) {
  const model = connection.model<OutputRecord>('Output', outputSchema);
  const collection = plainCollection<OutputRecord>(model);
  return {
    ...publications(collection),

    /** Returns the owner of every name in a namespace. */
    async namesOf(namespace: string): Promise<Map<string, string>> {
      const records = await model.find({ namespace }).select({ names: 1 }).batchSize(BATCH).lean();
      return new Map(records.flatMap((record) => record.names.map((name) => [name, record._id] as const)));
    },

    /** Returns those of the contents that other owners in the session hold too. Stops at the first owner of each. */
    async heldByOthers(sessionId: string, owner: string, contents: string[]): Promise<Set<string>> {
      const held = await Promise.all(
        contents.map((content) =>
          collection.findOne({ sessionId, contents: content, _id: { $ne: owner } }, { projection: { _id: 1 } }),
        ),
      );
      return new Set(contents.filter((_, index) => held[index] !== null));
    },

    /** Finds the record that holds a file name, by its key. */
    async findByName(accountId: string, namespace: string, name: string): Promise<OutputRecord | null> {
      return collection.findOne({ accountId, namespace, names: name });
    },

    /** Reads every exported file. */
    async *namedFiles(): AsyncGenerator<NamedFile> {
      for await (const { sessionId, files } of collection.find({}, { projection: { sessionId: 1, files: 1 } }))
        for (const { path, size } of files) yield { sessionId, path, size };
    },

    /** Lists the files of a session's exports and samples. */
    async findOfSession(sessionId: string): Promise<OutputRecord[]> {
      return collection.find({ sessionId }, { batchSize: BATCH }).toArray();
    },

    /** Lists the files that were exported in a session. */
    async pathsOfSession(sessionId: string): Promise<string[]> {
      const records = await collection
        .find({ sessionId }, { projection: { 'files.path': 1 }, batchSize: BATCH })
        .toArray();
      return records.flatMap(({ files }) => files.map(({ path }) => path));
    },

    /** Returns true if any exported file of this content has this key. Stops at the first one. */
    async holds(content: string, path: string): Promise<boolean> {
      const found = { contents: content, 'files.path': path };
      return (await collection.findOne(found, { projection: { _id: 1 } })) !== null;
    },

    async removeOfSession(sessionId: string): Promise<void> {
      await deleteInBatches(collection, { sessionId });
    },
  };
}

/** Publishes and renames files. */
function publications(collection: mongo.Collection<OutputRecord>) {
  return {
    /**
     * Publishes files under their names atomically and replaces earlier ones of the same owner. Names from before a renaming
     * are kept.
     * @returns `taken` if another owner has one of the names; else the replaced files and contents
     */
    async publish(record: OutputRecord): Promise<'taken' | Replaced> {
      const { _id } = record;
      const replaced = await put(collection, record, { renamed: { $ne: true } });
      if (replaced !== 'taken') return replaced;
      const renamed = await collection.findOne({ _id, renamed: true });
      if (!renamed) return 'taken';
      const former = (renamed.former ?? []).filter(({ key }) => !record.names.includes(key));
      const names = [...record.names, ...former.map(({ key }) => key)];
      return put(collection, { ...record, names, former }, { version: renamed.version ?? 0 });
    },

    /**
     * Gives files other names, if the record is still as it was read.
     * @returns false if it is not, or if another owner has one of the names
     */
    async rename(read: OutputRecord, change: Pick<OutputRecord, 'names' | 'files' | 'former'>): Promise<boolean> {
      const version = read.version ?? { $exists: false };
      const renamed = collection.updateOne(
        { _id: read._id, version },
        { $set: { ...change, renamed: true }, $inc: { version: 1 } },
        { ignoreUndefined: true },
      );
      return unlessDuplicate(
        renamed.then(({ matchedCount }) => matchedCount === 1),
        false,
      );
    },

    /** Lists the files of one image in a namespace, a record for each set of settings. */
    async findOfImage(namespace: string, imageId: string): Promise<OutputRecord[]> {
      // The character after the colon ends the range.
      const owners = { $gte: `${namespace}:${imageId}:`, $lt: `${namespace}:${imageId};` };
      return collection.find({ _id: owners }).toArray();
    },

    /** Lists the files of a namespace that were renamed after their export. */
    async findRenamed(namespace: string): Promise<OutputRecord[]> {
      return collection.find({ namespace, renamed: true }).toArray();
    },
  };
}

/** Writes the record if it is as `expected` or does not exist. An unexpected one counts as taken. */
async function put(
  collection: mongo.Collection<OutputRecord>,
  { _id, ...fields }: OutputRecord,
  expected: mongo.Filter<OutputRecord>,
): Promise<'taken' | Replaced> {
  const replaced = collection.findOneAndUpdate(
    { ...expected, _id },
    { $set: fields, $inc: { version: 1 } },
    { upsert: true, returnDocument: 'before', ignoreUndefined: true },
  );
  return unlessDuplicate(
    replaced.then((before) => before ?? { files: [] }),
    'taken',
  );
}

/** Access to exported files. */
export type OutputRepository = ReturnType<typeof createOutputRepository>;

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
