// Owns the database: connection, models, repositories. Knows mongoose. Must not know HTTP, pixels or business rules.

import { connectDatabase } from './connect.ts';
import { type DatabaseFacts, lookAt } from './look-at-database.ts';
import { type OpenOptions, prepareData } from './prepare-data.ts';
import { createRepositories, type Repositories } from './repositories/index.ts';

export { diagnoseDatabase } from './ask-server.ts';
export { EMBEDDED_TIMEOUT_MS } from './connect.ts';
export { snapshotEmbedded, startEmbedded } from './embedded/index.ts';
export { type DatabaseFault, describeFault, explainDatabaseError } from './explain-database-error.ts';
export { type DatabaseFacts, lookAtDatabase } from './look-at-database.ts';
export { openWithin } from './open-within.ts';
export type { OpenOptions } from './prepare-data.ts';
export type * from './repositories/index.ts';
export { eventId } from './repositories/job-history.ts';

/** An open database: every repository, a health check and close. */
export interface Database extends Repositories {
  /** Rejects if the database does not respond. */
  ping(): Promise<void>;
  /** Reads what the database says of itself. Changes nothing. */
  look(): Promise<DatabaseFacts>;
  close(): Promise<void>;
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
    look: () => lookAt(connection),
    async close() {
      await connection.close();
    },
  };
}
