import type { CachedVariantRecord, CachedVariantRepository } from '../db/index.ts';
import type { Logger } from '../observability/index.ts';
import type { FileStore } from '../storage/index.ts';

interface Context {
  cachedVariants: CachedVariantRepository;
  store: FileStore;
  logger: Logger;
  config: { VARIANT_CACHE_HOURS: number; VARIANT_CACHE_MB: number };
  now: () => Date;
}

const EVICTION_BATCH = 100;

/** Removes variants that were not used for long, and the oldest ones while the cache is too large. @returns how many */
export async function sweepVariants(context: Context): Promise<number> {
  const { cachedVariants, config, logger, now } = context;
  const limit = config.VARIANT_CACHE_MB * 1_000_000;
  const deadline = now().getTime() - config.VARIANT_CACHE_HOURS * 3_600_000;
  let bytes = await cachedVariants.totalBytes();
  let dropped = 0;
  for (;;) {
    const oldest = await cachedVariants.findOldest(EVICTION_BATCH);
    const due = oldest.filter((record) => {
      const isDue = record.usedAt.getTime() < deadline || bytes > limit;
      if (isDue) bytes -= record.size;
      return isDue;
    });
    await drop(context, due);
    dropped += due.length;
    if (due.length < EVICTION_BATCH) break;
  }
  if (dropped > 0) logger.info({ dropped }, 'dropped cached variants');
  return dropped;
}

/** Removes an account's variants that were made from uploads of these hashes. */
export async function dropSources(context: Context, accountId: string, sha256s: string[]): Promise<void> {
  await drop(context, await context.cachedVariants.findOfSources(accountId, sha256s));
}

/** Removes all variants of an account. */
export async function dropVariants(context: Context, accountId: string): Promise<void> {
  for (;;) {
    const found = await context.cachedVariants.findOfAccount(accountId, EVICTION_BATCH);
    if (found.length === 0) return;
    await drop(context, found);
  }
}

/** Removes files of the cache without a record, older than a day, as a crash leaves them. @returns how many */
export async function sweepOrphans({ cachedVariants, store, now }: Context): Promise<number> {
  let removed = 0;
  for await (const file of store.list('variants')) {
    if (now().getTime() - file.modifiedAt.getTime() < 86_400_000) continue;
    const hash = file.key.split('/').at(-1)?.split('.')[0] ?? '';
    const [record] = await cachedVariants.findMany([hash]);
    if (record?.path === file.key) continue;
    await store.remove(file.key);
    removed += 1;
  }
  return removed;
}

async function drop({ cachedVariants, store }: Context, records: CachedVariantRecord[]): Promise<void> {
  for (const record of records) {
    await cachedVariants.remove(record._id);
    await store.remove(record.path);
  }
}
