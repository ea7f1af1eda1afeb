import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';

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
