import type { Settings } from '#contract';
import type { CachedVariantRecord, CachedVariantRepository, ImageRecord } from '../db/index.ts';
import type { Logger } from '../observability/index.ts';
import {
  type EmbeddedTexts,
  extensionOf,
  outputFormatOf,
  type Processor,
  type RenderStep,
  type VariantSpec,
  variantKey,
} from '../processing/index.ts';
import { type FileStore, variantCacheKey } from '../storage/index.ts';

/** What is wanted of the cache: some variants of one image under one set of settings. */
export interface VariantOrder {
  image: ImageRecord;
  settings: Settings;
  /** Texts to write into the files; absent when `embedMetadata` is off. */
  embed?: EmbeddedTexts;
  variants: VariantSpec[];
}

/** How the work for an order is done. */
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
  const inFlight = new Map<string, Promise<unknown>>();

  /** Cached records whose files are really there. */
  async function lookUp(keys: string[]): Promise<Map<string, CachedVariantRecord>> {
    const found = new Map<string, CachedVariantRecord>();
    await Promise.all(
      (await cachedVariants.findMany(keys)).map(async (record) => {
        const file = await store.stat(record.path);
        if (file?.size === record.size) found.set(record._id, record);
      }),
    );
    return found;
  }

  async function render(order: VariantOrder, wanted: { key: string; spec: VariantSpec }[], options: OrderOptions) {
    const { image, settings, embed } = order;
    const extension = extensionOf(outputFormatOf(settings.format, image.format));
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
    await Promise.all(
      rendered.map(({ name: _name, file: _file, ...facts }, index) =>
        cachedVariants.put({
          ...facts,
          _id: wanted[index]?.key ?? '',
          accountId: image.accountId,
          sourceSha256: image.sha256,
          path: paths[index] ?? '',
          usedAt: now(),
        }),
      ),
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
      const keys = wanted.map(({ key }) => key);
      let encoded = false;
      for (;;) {
        const found = await lookUp(keys);
        const missing = wanted.filter(({ key }) => !found.has(key));
        if (missing.length === 0) {
          const records = keys.map((key) => found.get(key) as CachedVariantRecord);
          const stale = records.filter((record) => now().getTime() - record.usedAt.getTime() > USE_PRECISION_MS);
          if (stale.length > 0)
            await cachedVariants.touch(
              stale.map((record) => record._id),
              now(),
            );
          return { records, fromCache: !encoded };
        }
        options.signal.throwIfAborted();
        const unclaimed = missing.filter(({ key }) => !inFlight.has(key));
        // Somebody else's failure is not ours: when it fails, the loop claims the work.
        const others = missing.map(({ key }) => inFlight.get(key)?.catch(() => {}));
        if (unclaimed.length > 0) {
          encoded = true;
          const work = render(order, unclaimed, options);
          for (const { key } of unclaimed) inFlight.set(key, work);
          try {
            await work;
          } finally {
            for (const { key } of unclaimed) inFlight.delete(key);
          }
        }
        await unlessAborted(Promise.all(others), options.signal);
      }
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
