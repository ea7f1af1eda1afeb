import { field, insertNew, type RecordOf, schemaOf } from '../collection.ts';
import type { Connection } from '../connect.ts';

const clusterFields = {
  _id: field.text<'identity'>(),
  /** Number of the last migration that was applied in full. */
  dataVersion: field.number(),
  /** Process that applies the next migration; `beat` changes while it is alive. */
  migration: field.orNull(field.mixed<{ owner: string; beat: number }>()),
  /** Hash of the secret under which API keys are stored; absent before the first start that has one. */
  pepperFingerprint: field.optional(field.text()),
  /** Id that the file store carries; absent before the first start. */
  storeId: field.optional(field.text()),
};

/** The one document that all servers of a database agree on. */
export type ClusterRecord = RecordOf<typeof clusterFields>;

const clusterSchema = schemaOf('cluster', clusterFields);

/** Names of what every server of a database must have in common. */
export type SharedName = 'pepperFingerprint' | 'storeId';

const IDENTITY = { _id: 'identity' } as const;

/** Creates the repository of the database's identity. */
export function createClusterRepository(connection: Connection) {
  const model = connection.model<ClusterRecord>('Cluster', clusterSchema);
  return {
    /** Returns the identity; a database without one gets it with this version. */
    async open(dataVersion: number): Promise<ClusterRecord> {
      // No upsert: of two at once, servers differ in what the later one gets.
      const found = (await this.read()) ?? (await this.create(dataVersion));
      if (!found) throw new Error('the identity of the database vanished while it was read');
      return found;
    },

    /** Stores the first identity unless another server has; returns the stored one. */
    async create(dataVersion: number): Promise<ClusterRecord | null> {
      await insertNew(model, { ...IDENTITY, dataVersion, migration: null });
      return this.read();
    },

    async read(): Promise<ClusterRecord | null> {
      return model.findOne(IDENTITY).lean();
    },

    /** Stores a shared value unless there is one, and returns the stored one. */
    async agree(name: SharedName, value: string): Promise<string> {
      const agreed = (await this.read())?.[name];
      if (agreed !== undefined) return agreed;
      await model.updateOne({ ...IDENTITY, [name]: { $exists: false } }, { $set: { [name]: value } });
      return (await this.read())?.[name] ?? value;
    },

    /** Replaces a shared value. */
    async replace(name: SharedName, value: string): Promise<void> {
      await model.updateOne(IDENTITY, { $set: { [name]: value } });
    },

    /** Removes a shared value if it is still this one. */
    async withdraw(name: SharedName, value: string): Promise<void> {
      await model.updateOne({ ...IDENTITY, [name]: value }, { $unset: { [name]: 1 } });
    },

    /** Takes the right to apply the migration after `version`, if `seen` still holds it; false if another was first. */
    async claimMigration(version: number, seen: ClusterRecord['migration'], owner: string): Promise<boolean> {
      const held = seen === null ? null : { $eq: seen };
      const claimed = await model.updateOne(
        { ...IDENTITY, dataVersion: version, migration: held },
        { $set: { migration: { owner, beat: 0 } } },
      );
      return claimed.matchedCount === 1;
    },

    /** Shows that the owner of a migration is alive. */
    async heartbeat(owner: string): Promise<void> {
      await model.updateOne({ ...IDENTITY, 'migration.owner': owner }, { $inc: { 'migration.beat': 1 } });
    },

    /** Records that a migration was applied; false if another process has taken it over. */
    async finishMigration(version: number, owner: string): Promise<boolean> {
      const finished = await model.updateOne(
        { ...IDENTITY, dataVersion: version - 1, 'migration.owner': owner },
        { $set: { dataVersion: version, migration: null } },
      );
      return finished.matchedCount === 1;
    },
  };
}

/** Access to the database's identity. */
export type ClusterRepository = ReturnType<typeof createClusterRepository>;
