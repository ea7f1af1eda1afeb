import type { mongo } from 'mongoose';
import type { Lack } from '#contract';
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
import { createOutputNames } from './output-names.ts';

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
  /** Parts of the image that the file does not show. Absent: none, or of an earlier version. */
  lacks?: Lack[];
}

/** A name that a file had before it was renamed. */
export interface FormerName {
  filename: string;
  /** Key of the name; also in `names`. */
  key: string;
  variant: string;
}

const outputFields = {
  /** `<namespace>:<imageId>:<hash of names and contents>`; of earlier versions, `<hash of the settings>`. */
  _id: field.text(),
  accountId: field.text(),
  sessionId: field.text(),
  namespace: field.text(),
  /** Keys of all names that lead to the files; reserved for the image in `output_names`. */
  names: field.typed<string[]>([String]),
  files: field.mixed<OutputFile[]>(),
  /** Ids of the cached variants that the files were made as; equal ones share a file. Absent: an earlier version. */
  contents: field.optional(field.typed<string[]>([String])),
  /** Of several files of one name, that of the highest number is the newest. Absent: an earlier version. */
  number: field.optional(field.number()),
  updatedAt: field.date(),
  /** Counts the writes of the record. Absent: an earlier version. */
  version: field.optional(field.number()),
  /** True for files that were renamed after their export. */
  renamed: field.optional(field.flag<true>()),
  /** Names that the files had before, oldest first. They stay reserved and lead to the files. */
  former: field.optional(field.mixed<FormerName[]>()),
};

/** Files that one image was exported as, under one set of names. They are kept as long as their session. */
export type OutputRecord = RecordOf<typeof outputFields>;

const outputSchema = schemaOf('outputs', outputFields)
  .index({ namespace: 1, names: 1 })
  .index({ namespace: 1, 'files.sha256': 1 })
  .index({ sessionId: 1, contents: 1 })
  .index({ contents: 1 })
  .index({ namespace: 1, renamed: 1 }, { partialFilterExpression: { renamed: true } });

/** A file in the store, with the content that it was made as. */
export interface HeldFile {
  content: string;
  path: string;
}

/** Creates the repository of exported files and their names in a namespace. */
export function createOutputRepository(connection: Connection) {
  const collection = plainCollection(connection.model<OutputRecord>('Output', outputSchema));
  const { removeNamesOfSession, ...names } = createOutputNames(connection);
  return {
    ...names,
    ...publications(collection),
    ...lookups(collection),

    /** Returns the keys of those files that other records of the session hold too. Stops at the first record of each. */
    async heldByOthers(sessionId: string, id: string, files: HeldFile[]): Promise<Set<string>> {
      const held = await Promise.all(
        files.map(({ content, path }) =>
          collection.findOne(
            { sessionId, contents: content, 'files.path': path, _id: { $ne: id } },
            { projection: { _id: 1 } },
          ),
        ),
      );
      return new Set(files.flatMap(({ path }, index) => (held[index] === null ? [] : [path])));
    },

    /** Returns true if any exported file of this content has this key. Stops at the first one. */
    async holds(content: string, path: string): Promise<boolean> {
      const found = { contents: content, 'files.path': path };
      return (await collection.findOne(found, { projection: { _id: 1 } })) !== null;
    },

    async removeOfSession(sessionId: string): Promise<void> {
      await deleteInBatches(collection, { sessionId });
      await removeNamesOfSession(sessionId);
    },
  };
}

/** Finds and lists exported files. */
function lookups(collection: mongo.Collection<OutputRecord>) {
  const newest = async (filter: mongo.Filter<OutputRecord>) =>
    (await collection.find(filter).sort({ number: -1 }).limit(1).toArray())[0] ?? null;
  return {
    /** Finds the newest record of a file name, by its key. */
    findByName(accountId: string, namespace: string, name: string): Promise<OutputRecord | null> {
      return newest({ accountId, namespace, names: name });
    },

    /** Finds the newest record that holds these bytes, if possible under this name. */
    async findByHash(
      accountId: string,
      namespace: string,
      { sha256, name }: { sha256: string; name: string },
    ): Promise<OutputRecord | null> {
      const bytes = { accountId, namespace, 'files.sha256': sha256 };
      return (await newest({ ...bytes, names: name })) ?? (await newest(bytes));
    },

    /** Returns the hashes of all files of a namespace. */
    async hashesOf(namespace: string): Promise<Set<string>> {
      const records = collection.find({ namespace }, { projection: { 'files.sha256': 1 }, batchSize: BATCH });
      const hashes = new Set<string>();
      for await (const { files } of records) for (const { sha256 } of files) hashes.add(sha256);
      return hashes;
    },

    /** Lists the files of a namespace whose records hold any of these bytes, with the names that they have now. */
    async filesOf(namespace: string, sha256s: string[]): Promise<OutputFile[]> {
      if (sha256s.length === 0) return [];
      const filter = { namespace, 'files.sha256': { $in: sha256s } };
      const records = collection.find(filter, { projection: { files: 1 }, batchSize: BATCH });
      return (await records.toArray()).flatMap(({ files }) => files);
    },

    /** Reads every exported file. */
    async *namedFiles(): AsyncGenerator<NamedFile> {
      for await (const { _id, sessionId, files } of collection.find({}, { projection: { sessionId: 1, files: 1 } })) {
        const imageId = _id.split(':')[1] ?? '';
        for (const { path, size, sha256 } of files) yield { sessionId, imageId, path, size, sha256 };
      }
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

    /** Lists the files of one image in a namespace, a record for each set of names and contents, the oldest first. */
    async findOfImage(namespace: string, imageId: string): Promise<OutputRecord[]> {
      // The character after the colon ends the range.
      const owners = { $gte: `${namespace}:${imageId}:`, $lt: `${namespace}:${imageId};` };
      return inOrder(await collection.find({ _id: owners }).toArray());
    },

    /** Lists the files of a namespace that were renamed after their export, the oldest first. */
    async findRenamed(namespace: string): Promise<OutputRecord[]> {
      return inOrder(await collection.find({ namespace, renamed: true }).toArray());
    },
  };
}

const inOrder = (records: OutputRecord[]) => records.sort((one, other) => (one.number ?? 0) - (other.number ?? 0));

/** Publishes and renames files. */
function publications(collection: mongo.Collection<OutputRecord>) {
  return {
    /** Reads a record. */
    async find(id: string): Promise<OutputRecord | null> {
      return collection.findOne({ _id: id });
    },

    /**
     * Publishes files under reserved names, in one write. A record of the same id holds the same bytes, so only the place of its files
     * changes; the names that it had are kept.
     * @returns the record as it was before, if there was one, and the version that it has now
     */
    async publish(record: OutputRecord): Promise<{ before: OutputRecord | null; version: number }> {
      const { _id, ...fields } = record;
      for (;;) {
        const first = collection.insertOne({ ...record, version: 1 }, { ignoreUndefined: true });
        if (
          await unlessDuplicate(
            first.then(() => true),
            false,
          )
        )
          return { before: null, version: 1 };
        const before = await collection.findOne({ _id });
        if (!before) continue;
        const change = { ...fields, ...(before.renamed ? keptNames(record, before) : {}) };
        const { matchedCount } = await collection.updateOne(
          { _id, version: versionOf(before) },
          { $set: change, $inc: { version: 1 } },
          { ignoreUndefined: true },
        );
        if (matchedCount === 1) return { before, version: (before.version ?? 0) + 1 };
      }
    },

    /** Takes a publication back: the record is as it was before. @returns false if it was written again meanwhile */
    async withdraw(id: string, version: number, before: OutputRecord | null): Promise<boolean> {
      const published = { _id: id, version };
      if (!before) return (await collection.deleteOne(published)).deletedCount === 1;
      const restored = { $set: { files: before.files, contents: before.contents ?? [] } };
      return (await collection.updateOne(published, restored)).matchedCount === 1;
    },

    /**
     * Gives files other names, if the record is still as it was read.
     * @returns false if it is not
     */
    async rename(read: OutputRecord, change: Pick<OutputRecord, 'names' | 'files' | 'former'>): Promise<boolean> {
      const { matchedCount } = await collection.updateOne(
        { _id: read._id, version: versionOf(read) },
        { $set: { ...change, renamed: true }, $inc: { version: 1 } },
        { ignoreUndefined: true },
      );
      return matchedCount === 1;
    },
  };
}

/** Returns the names that lead to the files of a record that was renamed: former and present ones. */
function formerNames({ files, names, former = [] }: OutputRecord): FormerName[] {
  const present = files.map(({ filename, variant }, index) => ({ filename, variant, key: names[index] ?? '' }));
  const keys = new Set(present.map(({ key }) => key));
  return [...former.filter(({ key }) => !keys.has(key)), ...present];
}

/** Adds the names that the files of a renamed record had; they stay reserved and lead to the files. */
function keptNames({ names }: OutputRecord, renamed: OutputRecord): Pick<OutputRecord, 'names' | 'former'> {
  const former = formerNames(renamed).filter(({ key }) => !names.includes(key));
  return { names: [...names, ...former.map(({ key }) => key)], former };
}

/** The version of a record as a filter finds it; one of an earlier version of the service has none. */
function versionOf({ version }: OutputRecord): number | { $exists: false } {
  return version ?? { $exists: false };
}

/** Access to exported files. */
export type OutputRepository = ReturnType<typeof createOutputRepository>;
