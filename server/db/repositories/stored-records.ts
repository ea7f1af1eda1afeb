import mongoose from 'mongoose';
import { isDamagedRecord } from '../../errors.ts';
import type { Connection } from '../connect.ts';

/** Documents of a collection that cannot be read. */
export interface DamagedRecords {
  collection: string;
  /** Ids of the damaged documents, as far as they can be read; null for one whose id cannot. */
  ids: (string | null)[];
}

const BATCH = 500;

/** Creates the check that every stored document can be read. */
export function createRecordCheck(connection: Connection) {
  return {
    /** Reads all documents of all collections and returns those that are damaged. */
    async findDamaged(): Promise<DamagedRecords[]> {
      const damaged: DamagedRecords[] = [];
      for (const { collection } of Object.values(connection.models)) {
        const ids = await readAll(collection as unknown as mongoose.mongo.Collection);
        if (ids.length > 0) damaged.push({ collection: collection.name, ids });
      }
      return damaged;
    },
  };
}

/** Access to the check of all documents. */
export type RecordCheck = ReturnType<typeof createRecordCheck>;

/** Reads a collection and returns the damaged documents; up to the first one that the database cannot pass on. */
async function readAll(collection: mongoose.mongo.Collection): Promise<(string | null)[]> {
  const damaged: (string | null)[] = [];
  const documents = collection.find({}, { raw: true, batchSize: BATCH });
  try {
    for await (const raw of documents) {
      const bytes = raw as unknown as Uint8Array;
      try {
        mongoose.mongo.BSON.deserialize(bytes);
      } catch {
        damaged.push(idIn(bytes));
      }
    }
  } catch (error) {
    if (!isDamagedRecord(error)) throw error;
    // The database cannot read it either, so what follows in this collection is not read.
    damaged.push(null);
  }
  return damaged;
}

/** Reads the id of a damaged document: it is the first field, and a text. */
function idIn(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 200));
  const length = head.length > 13 && head[4] === 2 ? head.readInt32LE(9) : 0;
  return length > 1 && length < head.length - 13 ? head.toString('utf8', 13, 12 + length) : null;
}
