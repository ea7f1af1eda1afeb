import type { Connection } from './connect.ts';

/** MongoDB's codes for an index of the same keys or name with other options. */
const CONFLICTS = new Set([85, 86]);

/** Builds the missing indexes of all models; one whose options have changed is built again. */
export async function buildIndexes(connection: Connection): Promise<void> {
  for (const { schema, collection } of Object.values(connection.models)) {
    for (const [key, { background: _, ...options }] of schema.indexes()) {
      const build = () => collection.createIndex(key as never, options as never);
      await build().catch(async (error: { code?: unknown }) => {
        if (!CONFLICTS.has(Number(error.code))) throw error;
        await dropConflicting(collection, key);
        await build();
      });
    }
  }
}

/** Drops the index that has these keys, or the name that they get. */
async function dropConflicting(collection: Collection, key: Record<string, unknown>): Promise<void> {
  const fields = JSON.stringify(key);
  const name = Object.entries(key).flat().join('_');
  for (const index of await collection.indexes())
    if (JSON.stringify(index.key) === fields || index.name === name) await collection.dropIndex(String(index.name));
}

type Collection = Connection['models'][string]['collection'];
