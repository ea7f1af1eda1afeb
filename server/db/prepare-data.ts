import { type Connection, type ConnectOptions, connectDatabase } from './connect.ts';
import { OldServerError } from './explain-database-error.ts';
import { MIGRATIONS, migrate } from './migrations/index.ts';
import { createRepositories } from './repositories/index.ts';

/** Options of {@link openDatabase}. */
export interface OpenOptions extends ConnectOptions {
  /** No other process uses the data. @default false */
  alone?: boolean;
  /** Reports changes of the stored data. @default nowhere */
  log?: (fields: Record<string, unknown>, message: string) => void;
}

/** Prepares the data on a connection of its own without a socket timeout, since a large index takes long. */
export async function prepareData({ alone, log = () => {}, ...options }: OpenOptions): Promise<void> {
  const connection = await connectDatabase({ ...options, socketTimeoutMs: 0 });
  try {
    await requireVersion(connection);
    const { cluster } = createRepositories(connection);
    await migrate({ connection, cluster, migrations: MIGRATIONS, alone, log });
    await buildIndexes(connection);
  } finally {
    await connection.close();
  }
}

/** Oldest major version of MongoDB that the service is tested with. */
export const OLDEST_VERSION = 6;

/** Refuses a server that is too old. @throws OldServerError */
async function requireVersion(connection: Connection): Promise<void> {
  const { version = '' } = (await connection.db?.command({ buildInfo: 1 })) ?? {};
  if (Number.parseInt(version, 10) < OLDEST_VERSION) throw new OldServerError(`the server there is ${version}`);
}

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
