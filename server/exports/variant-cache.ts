import type { Settings } from '#contract';
import type { EmbeddedTexts } from '#contract/constants';
import { encodedFormat } from '#contract/constants';
import type { CachedVariantRecord, CachedVariantRepository, ImageRecord } from '../db/index.ts';
import type { Logger } from '../observability/index.ts';
import { extensionOf, type Processor, type RenderStep, type VariantSpec, variantKey } from '../processing/index.ts';
import { type FileStore, variantCacheKey } from '../storage/index.ts';

/** Order of some variants of one image under one set of settings. */
export interface VariantOrder {
  image: ImageRecord;
  settings: Settings;
  /** Texts to write into the files; absent when `embedMetadata` is off. */
  embed?: EmbeddedTexts;
  variants: VariantSpec[];
}

/** Options of an order: group, abort signal and progress. */
export interface OrderOptions {
  /** Fairness group: the job. */
  group: string;
  signal: AbortSignal;
  onStep: (step: RenderStep) => void;
}

interface CacheDeps {
  cachedVariants: CachedVariantRepository;
  store: FileStore;
  processor: Processor;
  logger: Logger;
  config: { VARIANT_CACHE_HOURS: number; VARIANT_CACHE_MB: number };
  now?: () => Date;
}

/** One variant of an order, under the key of its bytes. */
interface Wanted {
  key: string;
  spec: VariantSpec;
}
/** Cached variants whose files are there, by key. */
type Found = Map<string, CachedVariantRecord>;

/** A record of use is renewed when it is older than this, so that a hit is rarely a write. */
const USE_PRECISION_MS = 600_000;
const EVICTION_BATCH = 100;

/** Builds the content-addressed cache of variants: equal work is done once, also when it is asked for at the same moment. */
export function createVariantCache({
  cachedVariants,
  store,
  processor,
  logger,
  config,
  now = () => new Date(),
}: CacheDeps) {
  /** Look-ups and encodings under way, by key. What two ask for at the same moment is looked up and made once. */
  const inFlight = new Map<string, Promise<Found>>();

  /** Cached records whose files are really there. */
  async function lookUp(keys: string[]): Promise<Found> {
    const found: Found = new Map();
    await Promise.all(
      (await cachedVariants.findMany(keys)).map(async (record) => {
        const file = await store.stat(record.path);
        if (file?.size === record.size) found.set(record._id, record);
      }),
    );
    return found;
  }

  async function render(order: VariantOrder, wanted: Wanted[], options: OrderOptions): Promise<CachedVariantRecord[]> {
    const { image, settings, embed } = order;
    const extension = extensionOf(encodedFormat(settings.format, image.format));
    const paths = wanted.map(({ key }) => variantCacheKey(key, extension));
    const targets = await Promise.all(paths.map((path) => store.prepareFolder(path)));
    const rendered = await processor.render(
      {
        source: store.pathOf(image.uploadPath),
        identity: image.sha256,
        facts: image,
        format: settings.format,
        preset: settings.preset,
        keepCopyright: settings.keepCopyright,
        embed,
        variants: wanted.map(({ spec }, index) => ({ ...spec, target: targets[index] ?? '' })),
      },
      options,
    );
    const records = rendered.map(({ name: _name, file: _file, ...facts }, index) => ({
      ...facts,
      _id: wanted[index]?.key ?? '',
      accountId: image.accountId,
      sourceSha256: image.sha256,
      path: paths[index] ?? '',
      usedAt: now(),
    }));
    await Promise.all(records.map((record) => cachedVariants.put(record)));
    return records;
  }

  /** Renews the records of use that are not recent. */
  async function markUsed(records: CachedVariantRecord[]): Promise<void> {
    const stale = records.filter((record) => now().getTime() - record.usedAt.getTime() > USE_PRECISION_MS);
    if (stale.length > 0)
      await cachedVariants.touch(
        stale.map((record) => record._id),
        now(),
      );
  }

  async function drop(records: CachedVariantRecord[]): Promise<void> {
    for (const record of records) {
      await cachedVariants.remove(record._id);
      await store.remove(record.path);
    }
  }

  return {
    /**
     * Delivers the variants in the order asked for, encoding only those that nobody has made or is making.
     * @throws what {@link Processor.render} throws
     */
    async obtain(order: VariantOrder, options: OrderOptions) {
      const { image, settings, embed } = order;
      const wanted = order.variants.map((spec) => ({
        spec,
        key: variantKey({
          scope: image.accountId,
          sourceSha256: image.sha256,
          inputFormat: image.format,
          format: settings.format,
          preset: settings.preset,
          keepCopyright: settings.keepCopyright,
          embed,
          variant: spec,
        }),
      }));
      const found: Found = new Map();
      let encoded = false;

      /** Looks up and encodes what nobody else is at. Claimed before the first wait: there is no gap for a second claim. */
      async function produce(mine: Wanted[]): Promise<Found> {
        const records = await lookUp(mine.map(({ key }) => key));
        const missing = mine.filter(({ key }) => !records.has(key));
        if (missing.length > 0) {
          encoded = true;
          for (const record of await render(order, missing, options)) records.set(record._id, record);
        }
        return records;
      }

      const take = (records: Found) => {
        for (const { key } of wanted) {
          const record = records.get(key);
          if (record) found.set(key, record);
        }
      };

      for (;;) {
        const waiting = wanted.filter(({ key }) => !found.has(key));
        if (waiting.length === 0) break;
        options.signal.throwIfAborted();
        const mine = waiting.filter(({ key }) => !inFlight.has(key));
        // Somebody else's failure is not ours: when it fails, the loop claims the work.
        const others = waiting.map(({ key }) => inFlight.get(key)?.then(take, () => {}));
        if (mine.length > 0) {
          const work = produce(mine);
          for (const { key } of mine) inFlight.set(key, work);
          try {
            take(await work);
          } finally {
            for (const { key } of mine) inFlight.delete(key);
          }
        }
        await unlessAborted(Promise.all(others), options.signal);
      }
      const records = wanted.map(({ key }) => found.get(key) as CachedVariantRecord);
      await markUsed(records);
      return { records, fromCache: !encoded };
    },

    /** Drops variants that were not used for long, and the oldest ones while the cache is too large. @returns how many */
    async sweep(): Promise<number> {
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
        await drop(due);
        dropped += due.length;
        if (due.length < EVICTION_BATCH) break;
      }
      if (dropped > 0) logger.info({ dropped }, 'dropped cached variants');
      return dropped;
    },

    /** Drops an account's variants that were made from uploads of these hashes. */
    async forget(accountId: string, sha256s: string[]): Promise<void> {
      await drop(await cachedVariants.findOfSources(accountId, sha256s));
    },

    /** Drops all variants of an account that is going. */
    async forgetAccount(accountId: string): Promise<void> {
      for (;;) {
        const found = await cachedVariants.findOfAccount(accountId, EVICTION_BATCH);
        if (found.length === 0) return;
        await drop(found);
      }
    },

    /** Removes files of the cache that no record names, older than a day: what a crash left. @returns how many */
    async sweepOrphans(): Promise<number> {
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
    },
  };
}

/** The cache of variants. */
export type VariantCache = ReturnType<typeof createVariantCache>;

/** Waits for others' work, which goes on without us when the signal aborts. */
async function unlessAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let leave = () => {};
  const aborted = new Promise<void>((resolve) => {
    leave = resolve;
    signal.addEventListener('abort', leave, { once: true });
  });
  await Promise.race([work, aborted]);
  signal.removeEventListener('abort', leave);
}
