import { field, type RecordOf, schemaOf } from '../collection.ts';
import type { Connection } from '../connect.ts';

const refusedRemovalFields = {
  /** Key of a file that was to be removed, or a folder with a slash at its end. */
  _id: field.text(),
  /** Time of the last try. */
  triedAt: field.date(),
};

/** A file that the store did not remove. */
export type RefusedRemovalRecord = RecordOf<typeof refusedRemovalFields>;

const refusedRemovalSchema = schemaOf('refused_removals', refusedRemovalFields).index({ triedAt: 1 });

/** Creates the repository of files that are told as deleted and are still in the store. */
export function createRefusedRemovalRepository(connection: Connection) {
  const model = connection.model<RefusedRemovalRecord>('RefusedRemoval', refusedRemovalSchema);
  return {
    /** Stores keys as tried at this time; those that are known become the last to be tried again. */
    async add(keys: readonly string[], triedAt: Date): Promise<void> {
      const writes = keys.map((_id) => ({
        updateOne: { filter: { _id }, update: { $set: { triedAt } }, upsert: true },
      }));
      if (writes.length > 0) await model.bulkWrite(writes, { ordered: false });
    },

    /** Returns the keys that were not tried for longest. */
    async oldest(limit: number): Promise<string[]> {
      const found = await model.find({}).sort({ triedAt: 1 }).limit(limit).lean();
      return found.map(({ _id }) => _id);
    },

    async remove(keys: readonly string[]): Promise<void> {
      await model.deleteMany({ _id: { $in: keys } });
    },

    /** Returns how many files wait, folders as one. */
    count: (): Promise<number> => model.countDocuments({}),
  };
}

/** Access to files that the store did not remove. */
export type RefusedRemovalRepository = ReturnType<typeof createRefusedRemovalRepository>;
