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

const nameFields = {
  /** `<namespace>:<imageId>`. */
  _id: field.text(),
  accountId: field.text(),
  sessionId: field.text(),
  namespace: field.text(),
  /** Keys of all file names of the image; unique in the namespace, so that one write reserves all or none. */
  names: field.typed<string[]>([String]),
  /** Counts the reservations. */
  number: field.number(),
};

/** The file names that belong to one image in one namespace. */
export type OutputNamesRecord = RecordOf<typeof nameFields>;

const nameSchema = schemaOf('output_names', nameFields)
  .index({ namespace: 1, names: 1 }, { unique: true })
  .index({ sessionId: 1 });

/** Names that one image keeps; those that it got first are given up. */
const KEPT_NAMES = 20_000;

/** Creates the part of the repository of exported files that reserves their names. */
export function createOutputNames(connection: Connection) {
  const collection = plainCollection(connection.model<OutputNamesRecord>('OutputNames', nameSchema));
  return {
    /** Returns the owner of every name in a namespace: `<namespace>:<imageId>`. */
    async namesOf(namespace: string): Promise<Map<string, string>> {
      const records = collection.find({ namespace }, { projection: { names: 1 }, batchSize: BATCH });
      const owners = new Map<string, string>();
      for await (const { _id, names } of records) for (const name of names) owners.set(name, _id);
      return owners;
    },

    /**
     * Reserves names for an image, all or none.
     * @returns a number above that of every earlier reservation for the image; `taken` if another image has one of the names
     */
    async reserve(owner: Omit<OutputNamesRecord, 'names' | 'number'>, names: string[]): Promise<number | 'taken'> {
      const { _id } = owner;
      for (;;) {
        const held = await collection.findOne({ _id });
        const number = (held?.number ?? 0) + 1;
        const missing = names.filter((name) => !held?.names.includes(name));
        const all = [...(held?.names ?? []), ...missing].slice(-KEPT_NAMES);
        const change = { $set: missing.length > 0 ? { names: all, number } : { number } };
        const write = held
          ? collection.updateOne({ _id, number: held.number }, change).then(({ matchedCount }) => matchedCount === 1)
          : collection.insertOne({ ...owner, names: all, number }).then(() => true);
        const done = await unlessDuplicate<boolean, 'refused'>(write, 'refused');
        if (done === true) return number;
        // Another server may have reserved the image's first names meanwhile.
        if (done === 'refused' && (held || !(await collection.findOne({ _id })))) return 'taken';
      }
    },

    async removeNamesOfSession(sessionId: string): Promise<void> {
      await deleteInBatches(collection, { sessionId });
    },
  };
}
