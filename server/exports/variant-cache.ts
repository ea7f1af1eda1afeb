import { metadataLevel } from '#contract';
import { outlastOutage, withAbort } from '../concurrency.ts';
import type { CachedVariantRecord } from '../db/index.ts';
import { type Processor, type Turn, type Urgency, variantKey } from '../processing/index.ts';
import { collectFiles, dropSources, dropVariants, sweepOrphans, sweepVariants } from './evict-variants.ts';
import {
  type Found,
  lookUpIntact,
  type MakeDeps,
  makeVariants,
  type OrderOptions,
  type VariantOrder,
  type Wanted,
} from './make-variants.ts';

export type { OrderOptions, VariantOrder } from './make-variants.ts';

interface CacheDeps extends Omit<MakeDeps, 'now'> {
  config: { VARIANT_CACHE_HOURS: number; VARIANT_CACHE_MB: number };
  now?: () => Date;
}

/** A record of use is renewed when it is older than this, so that a hit is rarely a write. */
const USE_PRECISION_MS = 600_000;

/** Work that several orders wait for. */
interface SharedWork {
  records: Promise<Found>;
  /** Turns of the orders that wait: the work is as urgent as the most urgent one. */
  turns: Set<Turn>;
}

/** State of a variant cache. */
interface Context extends Required<CacheDeps> {
  /**
   * Look-ups and encodings in progress, by key. Each resolves to the records of all keys that it was started for; two
   * orders of the same variant at the same moment share one.
   */
  inFlight: Map<string, SharedWork>;
}

/** One call of `obtain`. */
interface Claim {
  order: VariantOrder;
  options: OrderOptions;
  wanted: Wanted[];
  found: Found;
  /** True once this call has encoded something itself. */
  encoded: boolean;
}

/** Creates the content-addressed cache of variants: equal work is done once, also when it is ordered twice at a time. */
export function createVariantCache({ now = () => new Date(), ...deps }: CacheDeps) {
  const context: Context = { now, ...deps, inFlight: new Map() };
  return {
    /**
     * Returns the variants in the requested order and encodes only variants that are neither cached nor in progress.
     * @throws what {@link Processor.render} throws
     */
    obtain: (order: VariantOrder, options: OrderOptions) => obtain(context, order, options),

    /** Counts the images, each with its orders, that have a variant that is not cached; equal images count once. */
    countMissing: (images: VariantOrder[][]) => countImages(context, images, () => true),

    /** Counts the images that have a variant that was neither paid for nor counted as a sample; equal images count once. */
    countUncounted: (images: VariantOrder[][]) => countImages(context, images, ({ isUncounted }) => !isUncounted),

    /** Records that variants were paid for, or counted as samples: a sample of them is free. */
    async markCounted(records: (CachedVariantRecord | undefined)[]): Promise<void> {
      const keys = records.flatMap((record) => (record?.isUncounted ? [record._id] : []));
      if (keys.length > 0) await context.cachedVariants.markCounted(keys);
    },

    /** Returns true if these variants are still cached: their files, which have been published, are kept then. */
    async holds(records: CachedVariantRecord[]): Promise<boolean> {
      const found = await context.cachedVariants.findMany(records.map(({ _id }) => _id));
      const paths = new Set(found.map(({ path }) => path));
      return records.every(({ path }) => paths.has(path));
    },

    /** Removes files of these keys that neither the cache nor an export holds. */
    collect: (paths: string[]) => collectFiles(context, paths),

    /** Removes variants that were not used for long, and the oldest ones while the cache is too large. @returns how many */
    sweep: () => sweepVariants(context),

    /** Removes an account's variants that were made from uploads of these hashes. */
    forget: (accountId: string, sha256s: string[]) => dropSources(context, accountId, sha256s),

    /** Removes all variants of an account that is being deleted. */
    forgetAccount: (accountId: string) => dropVariants(context, accountId),

    /** Removes files of the cache without a record, older than a day, as a crash leaves them. @returns how many */
    sweepOrphans: () => sweepOrphans(context),
  };
}

/** The cache of variants. */
export type VariantCache = ReturnType<typeof createVariantCache>;

/** Counts the distinct images of which not every variant is cached and `isDone`. */
async function countImages(
  context: Context,
  images: VariantOrder[][],
  isDone: (record: CachedVariantRecord) => boolean,
): Promise<number> {
  const keys = images.map((orders) =>
    orders.flatMap((order) => keysOf(context.processor, order).map(({ key }) => key)),
  );
  const distinct = [...new Map(keys.map((ofImage) => [ofImage.join(), ofImage])).values()];
  const found = await lookUp(context, distinct.flat());
  const done = new Set([...found.values()].filter(isDone).map(({ _id }) => _id));
  return distinct.filter((ofImage) => !ofImage.every((key) => done.has(key))).length;
}

async function obtain(context: Context, order: VariantOrder, options: OrderOptions) {
  const claim: Claim = { order, options, wanted: keysOf(context.processor, order), found: new Map(), encoded: false };
  for (;;) {
    const waiting = claim.wanted.filter(({ key }) => !claim.found.has(key));
    if (waiting.length === 0) break;
    options.signal.throwIfAborted();
    await obtainOnce(context, claim, waiting);
  }
  const records = claim.wanted.map(({ key }) => claim.found.get(key) as CachedVariantRecord);
  await markUsed(context, records);
  return { records, fromCache: !claim.encoded };
}

function keysOf(processor: Processor, { image, settings, embed, variants }: VariantOrder): Wanted[] {
  const { format, preset } = settings;
  const metadata = metadataLevel(settings);
  const signer = processor.signerOf(image, { format, metadata });
  const source = { scope: image.accountId, sourceSha256: image.sha256, inputFormat: image.format };
  const search = { search: processor.search, insists: settings.quality === 'exact' };
  const shared = { ...source, ...search, format, preset, metadata, embed, signer };
  return variants.map((spec) => ({ spec, key: variantKey({ ...shared, variant: spec }) }));
}

/** Claims what no other order is working on, and waits for the rest. The caller repeats it for what another order failed at. */
async function obtainOnce(context: Context, claim: Claim, waiting: Wanted[]): Promise<void> {
  const { inFlight } = context;
  const take = (records: Found) => {
    for (const { key } of claim.wanted) {
      const record = records.get(key);
      if (record) claim.found.set(key, record);
    }
  };
  const free = waiting.filter(({ key }) => !inFlight.has(key));
  // `full` within `maxWidth` may be one of the widths.
  const mine = [...new Map(free.map((one) => [one.key, one])).values()];
  // The failure of another order is not a failure of this one.
  const others = waiting
    .flatMap(({ key }) => inFlight.get(key) ?? [])
    .map((work) => joinWork(work, claim.options.turn).then(take, () => {}));
  if (mine.length > 0) {
    // Claimed before the first wait, so that no second order can claim the same.
    const turns = new Set([claim.options.turn]);
    const work = { turns, records: produce(context, claim, mine, sharedTurn(claim.options.turn, turns)) };
    for (const { key } of mine) inFlight.set(key, work);
    try {
      take(await work.records);
    } finally {
      for (const { key } of mine) inFlight.delete(key);
    }
  }
  await withAbort(Promise.all(others), claim.options.signal);
}

/** Waits for the work of another order, which is at least as urgent as this one meanwhile. */
async function joinWork({ records, turns }: SharedWork, turn: Turn): Promise<Found> {
  turns.add(turn);
  return records.finally(() => turns.delete(turn));
}

/** Returns the turn of shared work: as urgent as the most urgent order that waits for it. */
function sharedTurn(first: Turn, turns: Set<Turn>): Turn {
  const urgencies: Urgency[] = ['paid', 'free', 'idle'];
  const urgency = () => {
    const requested = [...turns].map((turn) => turn.urgency());
    return urgencies.find((one) => requested.includes(one)) ?? 'idle';
  };
  return { ...first, urgency };
}

async function produce(context: Context, claim: Claim, mine: Wanted[], turn: Turn): Promise<Found> {
  const keys = mine.map(({ key }) => key);
  const { found: records, damaged } = await outlastOutage(() => lookUpIntact(context, keys), claim.options.signal);
  const missing = mine.filter(({ key }) => !records.has(key));
  if (missing.length > 0) {
    claim.encoded = true;
    for (const record of await makeVariants(
      context,
      claim.order,
      { ...claim.options, turn },
      { wanted: missing, damaged },
    ))
      records.set(record._id, record);
  }
  return records;
}

/** Returns the cached records whose files exist. */
async function lookUp({ cachedVariants, store }: Context, keys: string[]): Promise<Found> {
  const found: Found = new Map();
  await Promise.all(
    (await cachedVariants.findMany(keys)).map(async (record) => {
      const file = await store.head(record.path);
      if (file?.size === record.size) found.set(record._id, record);
    }),
  );
  return found;
}

/** Renews the time of use of records where it is not recent. */
async function markUsed({ cachedVariants, now }: Context, records: CachedVariantRecord[]): Promise<void> {
  const stale = records.filter((record) => now().getTime() - record.usedAt.getTime() > USE_PRECISION_MS);
  if (stale.length === 0) return;
  await cachedVariants.touch(
    stale.map((record) => record._id),
    now(),
  );
}
