import { RefusedRemovalError, StoreAwayError } from '../errors.ts';
import type { ObjectStore } from './object-store.ts';

interface RemovalQueueDeps {
  store: ObjectStore;
  /** Keys that wait, also those of other servers. */
  waiting: {
    add(keys: readonly string[], triedAt: Date): Promise<void>;
    oldest(limit: number): Promise<string[]>;
    remove(keys: readonly string[]): Promise<void>;
  };
  now?: () => Date;
}

const AT_ONCE = 500;

/**
 * Creates a store whose removals are kept until they are done: what the store refuses, or cannot be asked for, waits in the
 * database. Keys are never used twice, so a later removal hits no other file.
 */
export function createRemovalQueue({ store, waiting, now = () => new Date() }: RemovalQueueDeps) {
  const keep = (key: string) => async (error: unknown) => {
    if (!(error instanceof StoreAwayError)) throw error;
    await waiting.add(error instanceof RefusedRemovalError ? error.keys : [key], now());
    return false;
  };
  return {
    store: {
      ...store,
      removeMany: async (keys: string[]) => store.removeMany(keys).catch(keep('')),
      removeBelow: async (folder: string) => store.removeBelow(folder).catch(keep(`${folder}/`)),
    } satisfies ObjectStore,

    /** Tries again to remove what waits, the oldest first. @throws StoreAwayError */
    async sweep(): Promise<void> {
      for (let left: string[] = []; left.length === 0; ) {
        const keys = await waiting.oldest(AT_ONCE);
        if (keys.length === 0) return;
        left = await removeAgain(store, keys);
        const stays = new Set(left);
        await waiting.remove(keys.filter((key) => !stays.has(key)));
        await waiting.add(left, now());
      }
    },
  };
}

/** Returns the keys and folders of which the store did not remove everything. */
async function removeAgain(store: ObjectStore, keys: string[]): Promise<string[]> {
  const files = keys.filter((key) => !key.endsWith('/'));
  const left = await refusedOf(store.removeMany(files));
  for (const folder of keys.filter((key) => key.endsWith('/'))) {
    const refused = await refusedOf(store.removeBelow(folder.slice(0, -1)));
    if (refused.length > 0) left.push(folder);
  }
  return left;
}

async function refusedOf(removal: Promise<unknown>): Promise<string[]> {
  try {
    await removal;
    return [];
  } catch (error) {
    if (error instanceof RefusedRemovalError) return [...error.keys];
    throw error;
  }
}
