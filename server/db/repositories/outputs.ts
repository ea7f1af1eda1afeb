import type { Connection } from '../connect.ts';
import { BATCH, deleteInBatches } from '../delete-in-batches.ts';
import { unlessDuplicate } from '../duplicate-key.ts';
import { type OutputFile, type OutputRecord, outputSchema } from '../models/output.ts';
import { plainCollection } from '../plain-collection.ts';
import type { NamedFile } from './images.ts';

export type { OutputFile, OutputRecord };

/** Creates the repository of exported files and their names in a namespace. */
export function createOutputRepository(connection: Connection) {
  const model = connection.model<OutputRecord>('Output', outputSchema);
  const collection = plainCollection<OutputRecord>(model);
  return {
    /**
     * Publishes files under their names atomically and replaces earlier ones of the same owner.
     * @returns `taken` if another owner has one of the names; else the replaced files and contents
     */
    async publish(record: OutputRecord): Promise<'taken' | Pick<OutputRecord, 'files' | 'contents'>> {
      const { _id, ...fields } = record;
      const replaced = collection.findOneAndUpdate(
        { _id },
        { $set: fields },
        { upsert: true, returnDocument: 'before', ignoreUndefined: true },
      );
      return unlessDuplicate(
        replaced.then((before) => before ?? { files: [] }),
        'taken',
      );
    },

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

/** Access to exported files. */
export type OutputRepository = ReturnType<typeof createOutputRepository>;
