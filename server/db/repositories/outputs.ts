import type { mongo } from 'mongoose';
import {
  BATCH,
  date,
  deleteInBatches,
  flag,
  mixed,
  number,
  optional,
  plainCollection,
  type RecordOf,
  schemaOf,
  text,
  typed,
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
  _id: text(),
  accountId: text(),
  sessionId: text(),
  namespace: text(),
  /** Keys of all file names; unique in the namespace, so that one write reserves all or none. */
  names: typed<string[]>([String]),
  files: mixed<OutputFile[]>(),
  /** Ids of the cached variants that the files were made as; equal ones share a file. Absent: an earlier version. */
  contents: optional(typed<string[]>([String])),
  updatedAt: date(),
  /** Counts the writes of the record. Absent: an earlier version. */
  version: optional(number()),
  /** True for files that were renamed after their export. */
  renamed: optional(flag<true>()),
  /** Names that the files had before, oldest first. They stay reserved and lead to the files. */
  former: optional(mixed<FormerName[]>()),
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

    /** Tells whether any exported file of this content lies at this key. Stops at the first one. */
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
