import { field, plainCollection, type RecordOf, schemaOf, unlessDuplicate } from '../collection.ts';
import type { Connection } from '../connect.ts';

const storedBytesFields = {
  /** The account. */
  _id: field.text(),
  /** Bytes of its sessions and of the uploads that are about to be recorded. */
  bytes: field.number(),
  /** Bytes of these uploads; more if a server has died meanwhile. */
  pending: field.number(),
  /** Time of the last upload. */
  takenAt: field.date(),
  /** Number of changes. */
  changes: field.number(),
};

/** Bytes that an account stores, counted by all servers together. */
export type StoredBytesRecord = RecordOf<typeof storedBytesFields>;

const storedBytesSchema = schemaOf('stored_bytes', storedBytesFields);

/**
 * Creates the repository of what accounts store. An account is counted from its first `replace` on; before, nothing is
 * recorded of it.
 */
export function createStoredBytesRepository(connection: Connection) {
  const collection = plainCollection(connection.model<StoredBytesRecord>('StoredBytes', storedBytesSchema));
  const change = (accountId: string, amounts: { bytes?: number; pending?: number }) =>
    collection.updateOne({ _id: accountId }, { $inc: { ...amounts, changes: 1 } });
  return {
    /** Returns the count of an account; null if it is not counted yet. */
    async find(accountId: string): Promise<StoredBytesRecord | null> {
      return collection.findOne({ _id: accountId });
    },

    /**
     * Adds bytes that are about to be recorded, unless that exceeded `most`; false also for an account that is not counted
     * yet.
     */
    async take(accountId: string, bytes: number, { most, now }: { most: number; now: Date }): Promise<boolean> {
      const taken = await collection.updateOne(
        { _id: accountId, bytes: { $lte: most - bytes } },
        { $inc: { bytes, pending: bytes, changes: 1 }, $set: { takenAt: now } },
      );
      return taken.matchedCount === 1;
    },

    /** Records that bytes which were taken are stored. */
    async settle(accountId: string, bytes: number): Promise<void> {
      await change(accountId, { pending: -bytes });
    },

    /** Gives back bytes that were taken and are not stored. */
    async giveBack(accountId: string, bytes: number): Promise<void> {
      await change(accountId, { bytes: -bytes, pending: -bytes });
    },

    /** Adds bytes that are stored, also above every limit; negative for removed ones. */
    async add(accountId: string, bytes: number): Promise<void> {
      if (bytes !== 0) await change(accountId, { bytes });
    },

    /** Sets the count of an account if it has not changed since it was read; false otherwise. */
    async replace(seen: StoredBytesRecord | null, count: Omit<StoredBytesRecord, 'changes'>): Promise<boolean> {
      if (seen === null) {
        const inserted = collection.insertOne({ ...count, changes: 0 }).then(() => true);
        return unlessDuplicate(inserted, false);
      }
      const { _id, changes } = seen;
      const updated = await collection.updateOne({ _id, changes }, { $set: { ...count, changes: changes + 1 } });
      return updated.matchedCount === 1;
    },

    async removeOfAccount(accountId: string): Promise<void> {
      await collection.deleteOne({ _id: accountId });
    },
  };
}

/** Access to what accounts store. */
export type StoredBytesRepository = ReturnType<typeof createStoredBytesRepository>;
