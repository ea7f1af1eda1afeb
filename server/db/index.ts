// Owns the database: connection, models, repositories. Knows mongoose. Must not know HTTP, pixels or business rules.

import { buildIndexes } from './build-indexes.ts';
import { type ConnectOptions, connectDatabase } from './connect.ts';
import { MIGRATIONS, migrate } from './migrations/index.ts';
import { createRepositories, type Repositories } from './repositories/index.ts';
import { requireVersion } from './require-version.ts';

export { EMBEDDED_TIMEOUT_MS } from './connect.ts';
export { snapshotEmbedded, startEmbedded } from './embedded/index.ts';
export type * from './repositories/index.ts';
export { eventId } from './repositories/job-events.ts';

/** An open database: every repository, a health check and close. */
export interface Database extends Repositories {
  /** Rejects if the database does not respond. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Options of {@link openDatabase}. */
export interface OpenOptions extends ConnectOptions {
  /** No other process uses the data. @default false */
  alone?: boolean;
  /** Reports changes of the stored data. @default nowhere */
  log?: (fields: Record<string, unknown>, message: string) => void;
}

/**
 * Connects, brings the stored data and its indexes to the present version, and returns the repositories.
 * @throws StartError if the server is too old, or the data newer than this service
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  await prepareData(options);
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

/** Prepares the data on a connection of its own without a socket timeout, since a large index takes long. */
async function prepareData({ alone, log = () => {}, ...options }: OpenOptions): Promise<void> {
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
