import type { CachedVariantRecord, CachedVariantRepository, OutputRepository } from '../db/index.ts';
import type { Logger } from '../observability/index.ts';
import { type ObjectStore, VARIANTS, variantHashOf } from '../storage/index.ts';

interface Context {
  cachedVariants: CachedVariantRepository;
  outputs: Pick<OutputRepository, 'holds'>;
  store: ObjectStore;
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
  for (let at = 0; at < sha256s.length; at += EVICTION_BATCH) {
    const some = sha256s.slice(at, at + EVICTION_BATCH);
    await drop(context, await context.cachedVariants.findOfSources(accountId, some));
  }
}

/** Removes all variants of an account. */
export async function dropVariants(context: Context, accountId: string): Promise<void> {
  for (;;) {
    const found = await context.cachedVariants.findOfAccount(accountId, EVICTION_BATCH);
    if (found.length === 0) return;
    await drop(context, found);
  }
}

/** Removes variants without a record, older than a day, as a crash leaves them. @returns how many */
export async function sweepOrphans(context: Context): Promise<number> {
  const { store, now } = context;
  let removed = 0;
  let old: string[] = [];
  const collect = async () => {
    removed += await collectFiles(context, old);
    old = [];
  };
  for await (const { key, modifiedAt } of store.list(VARIANTS)) {
    if (now().getTime() - modifiedAt.getTime() < 86_400_000) continue;
    old.push(key);
    if (old.length >= EVICTION_BATCH) await collect();
  }
  await collect();
  return removed;
}

/**
 * Removes files of variants that neither the cache nor an export holds. The record in the cache is removed before: an export
 * that publishes such a file meanwhile finds afterwards that the cache does not hold it, and obtains another one.
 * @returns how many
 */
export async function collectFiles(
  { cachedVariants, outputs, store }: Pick<Context, 'cachedVariants' | 'outputs' | 'store'>,
  keys: string[],
): Promise<number> {
  let removed = 0;
  const variants = [...new Set(keys)].filter((key) => key.startsWith(`${VARIANTS}/`));
  for (let at = 0; at < variants.length; at += EVICTION_BATCH) {
    const some = variants.slice(at, at + EVICTION_BATCH);
    const cached = new Set((await cachedVariants.findMany(some.map(variantHashOf))).map(({ path }) => path));
    const held = await Promise.all(some.map((key) => cached.has(key) || outputs.holds(variantHashOf(key), key)));
    const free = some.filter((_, index) => !held[index]);
    if (await store.removeMany(free)) removed += free.length;
  }
  return removed;
}

async function drop(context: Context, records: CachedVariantRecord[]): Promise<void> {
  await context.cachedVariants.removeMany(records);
  await collectFiles(
    context,
    records.map(({ path }) => path),
  );
}
