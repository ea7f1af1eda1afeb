import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'bson';
import type { mongo } from 'mongoose';

interface CorpusFile {
  valid?: { description: string; canonical_bson: string }[];
}

/** Stores each valid value of the BSON corpus and reads it back. Returns how many there are, and those that came back otherwise. */
export async function runCorpus(
  collection: mongo.Collection<{ _id: string; value?: unknown }>,
  folder: string,
): Promise<{ values: number; wrong: string[] }> {
  const wrong: string[] = [];
  let values = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const { valid = [] } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CorpusFile;
    for (const { description, canonical_bson: hex } of valid) {
      values += 1;
      // Some descriptions stand for two values.
      const _id = `${values} ${file}: ${description}`;
      const value = deserialize(Buffer.from(hex, 'hex'), {
        promoteValues: false,
        promoteBuffers: false,
        bsonRegExp: true,
      });
      const bytes = Buffer.from(serialize({ _id, value }, { ignoreUndefined: false }));
      try {
        await collection.insertOne({ _id, value }, { ignoreUndefined: false });
        const [raw] = await collection.find({ _id }, { raw: true }).toArray();
        if (!bytes.equals(raw as unknown as Buffer)) wrong.push(_id);
      } catch (error) {
        wrong.push(`${_id}: ${(error as Error).message.slice(0, 200)}`);
      }
    }
  }
  return { values, wrong };
}
