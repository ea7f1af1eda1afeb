import { type Connection, type ConnectOptions, connectDatabase } from './connect.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { OLDEST_VERSION } from './prepare-data.ts';
import { createClusterRepository } from './repositories/cluster.ts';

/** State of a database, as a look at it shows it. */
export interface DatabaseFacts {
  /** Version of the server. */
  version: string;
  isTooOld: boolean;
  /** Milliseconds by which the server's clock is ahead of this machine's; null if it does not tell its time. */
  aheadMs: number | null;
  /** Number of the stored data; null: nothing is stored yet. */
  dataVersion: number | null;
  /** True if a newer version of the service has written the data. */
  isNewer: boolean;
  /** That of the keys' secret; null before the first start. */
  pepperFingerprint: string | null;
  /** Id of the store of files; null before the first start. */
  storeId: string | null;
}

/** Reads the state of a database on an open connection. Changes nothing. */
export async function lookAt(connection: Connection): Promise<DatabaseFacts> {
  const askedAt = Date.now();
  const { localTime } = (await connection.db?.command({ hello: 1 })) ?? {};
  const half = (Date.now() - askedAt) / 2;
  const { version = '' } = (await connection.db?.command({ buildInfo: 1 })) ?? {};
  const found = await createClusterRepository(connection).read();
  return {
    version,
    isTooOld: Number.parseInt(version, 10) < OLDEST_VERSION,
    aheadMs: localTime instanceof Date ? Math.round(localTime.getTime() - askedAt - half) : null,
    dataVersion: found?.dataVersion ?? null,
    isNewer: (found?.dataVersion ?? 0) > MIGRATIONS.length,
    pepperFingerprint: found?.pepperFingerprint ?? null,
    storeId: found?.storeId ?? null,
  };
}

/** Connects, reads the state of a database and closes the connection. Changes nothing, unlike an opening. */
export async function lookAtDatabase(options: ConnectOptions): Promise<DatabaseFacts> {
  const connection = await connectDatabase(options);
  try {
    return await lookAt(connection);
  } finally {
    await connection.close();
  }
}
