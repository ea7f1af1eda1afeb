import type { StorageConfig } from './config.ts';
import { type Files, identifyStore } from './store-identity.ts';
import type { StoreLogger } from './trouble-log.ts';
import { requireUsable, tryStore } from './try-store.ts';

/** Where the servers of a database agree on the id of their store. */
interface Cluster {
  agree(name: 'storeId', id: string): Promise<string>;
  withdraw(name: 'storeId', id: string): Promise<void>;
}

/**
 * Prepares the files for work: creates what has to be there, tries a store in S3, and checks that it belongs to the database.
 * @throws StartError, StoreAwayError
 */
export async function prepareFiles(
  files: Files,
  config: StorageConfig,
  cluster: Cluster,
  logger: StoreLogger,
): Promise<void> {
  await files.scratch.prepare();
  await files.store.prepare();
  if (config.FILES_URL !== undefined) requireUsable(await tryStore(config), (facts, line) => logger.warn(facts, line));
  await identifyStore(files, {
    agree: (id) => cluster.agree('storeId', id),
    withdraw: (id) => cluster.withdraw('storeId', id),
  });
}
