import { createHash, randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { startEmbedded } from '../../server/db/index.ts';

/** The database a test runs on. */
export interface TestDatabase {
  /** Undefined: the embedded one. */
  uri: string | undefined;
  /** Removes what the test wrote to a real server. */
  drop(): Promise<void>;
}

/** A database of its own on the server that `TEST_MONGODB_URI` names, else the embedded one. */
export function testDatabase(): TestDatabase {
  const server = process.env.TEST_MONGODB_URI;
  if (!server) return { uri: undefined, drop: async () => {} };
  const url = new URL(server);
  url.pathname = `/imagewright-test-${randomUUID().slice(0, 13)}`;
  const uri = url.toString();
  return {
    uri,
    async drop() {
      const connection = await mongoose.createConnection(uri).asPromise();
      await connection.dropDatabase();
      await connection.close();
    },
  };
}

/** A database that several servers share: on the server that `TEST_MONGODB_URI` names, else an embedded one in a folder. */
export async function sharedStore(directory: string): Promise<{ uri: string; close(): Promise<void> }> {
  const { uri, drop } = testDatabase();
  if (uri) return { uri, close: drop };
  return startEmbedded({ directory, logger: { warn() {} } });
}

/**
 * Adds the database of a folder on the server that `TEST_MONGODB_URI` names to the settings of a service; without it the service has an
 * embedded one in the folder. It stays on the server.
 */
export function onTestServer(env: Record<string, string>): Record<string, string> {
  const server = process.env.TEST_MONGODB_URI;
  if (!server) return env;
  const url = new URL(server);
  const name = createHash('sha256')
    .update(env.DATA_DIR ?? '')
    .digest('hex')
    .slice(0, 13);
  url.pathname = `/imagewright-test-${name}`;
  return { ...env, MONGODB_URI: url.toString() };
}
