// Owns the database: connection, models, repositories. Knows mongoose. Must not know HTTP, pixels or business rules.
import { type ConnectOptions, connectDatabase } from './connect.ts';
import { createRepositories, type Repositories } from './repositories/index.ts';

export { EMBEDDED_TIMEOUT_MS } from './connect.ts';
export { startEmbedded } from './embedded/index.ts';
export type * from './repositories/index.ts';

/** An open database: every repository, a health check and close. */
export interface Database extends Repositories {
  /** Rejects if the database does not respond. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Connects, builds missing indexes and returns the repositories. */
export async function openDatabase(options: ConnectOptions): Promise<Database> {
  await buildIndexes(options);
  const connection = await connectDatabase(options);
  const repositories = createRepositories(connection);
  return {
    ...repositories,
    async ping() {
      await connection.db?.command({ ping: 1 });
    },
    async close() {
      await connection.close();
    },
  };
}

/** Builds the indexes on a separate connection without a socket timeout, since a large index takes long. */
async function buildIndexes(options: ConnectOptions): Promise<void> {
  const connection = await connectDatabase({ ...options, socketTimeoutMs: 0 });
  try {
    createRepositories(connection);
    for (const model of Object.values(connection.models)) await model.createIndexes();
  } finally {
    await connection.close();
  }
}
