import { metadataLevel, type Settings } from '#contract';
import { type EmbeddedTexts, encodedFormat } from '#contract/constants';
import { outlastOutage } from '../concurrency.ts';
import type { CachedVariantRecord, CachedVariantRepository, ImageRecord, OutputRepository } from '../db/index.ts';
import type { Logger } from '../observability/index.ts';
import {
  extensionOf,
  type Processor,
  type RenderStep,
  type TimeBudget,
  type Turn,
  type VariantSpec,
} from '../processing/index.ts';
import { type Files, newVariantKey } from '../storage/index.ts';
import { collectFiles } from './evict-variants.ts';

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
  turn: Turn;
  signal: AbortSignal;
  onStep: (step: RenderStep) => void;
  /** Processor time of the image with all its orders. @default the whole limit for each order */
  budget?: TimeBudget | undefined;
}

/** One variant of an order, under the key of its bytes. */
export interface Wanted {
  key: string;
  spec: VariantSpec;
}
/** Cached variants whose files are there, by key. */
export type Found = Map<string, CachedVariantRecord>;

/** Dependencies of the making of variants. */
export interface MakeDeps extends Files {
  cachedVariants: CachedVariantRepository;
  outputs: Pick<OutputRepository, 'holds'>;
  processor: Processor;
  logger: Logger;
  now: () => Date;
}

/** Returns the cached records whose files have the bytes that were told, and those whose files have others. */
export async function lookUpIntact(context: MakeDeps, keys: string[]): Promise<{ found: Found; damaged: Found }> {
  const { cachedVariants, store, logger } = context;
  const [found, damaged]: [Found, Found] = [new Map(), new Map()];
  await Promise.all(
    (await cachedVariants.findMany(keys)).map(async (record) => {
      const state = record.isDamaged ? 'damaged' : await store.check(record.path, record);
      if (state === 'intact' || state === 'unknown') found.set(record._id, record);
      if (state !== 'damaged') return;
      damaged.set(record._id, record);
      logger.error({ file: record.path }, 'a stored file is damaged; it is made again');
    }),
  );
  return { found, damaged };
}

/** Variants to make; `damaged` records are those that they replace. */
export interface Missing {
  wanted: Wanted[];
  damaged: Found;
}

/** Makes variants, stores them and returns their records. */
export async function makeVariants(
  context: MakeDeps,
  { image, settings, embed }: VariantOrder,
  options: OrderOptions,
  { wanted, damaged }: Missing,
): Promise<CachedVariantRecord[]> {
  const { store, scratch, processor, now } = context;
  const { format, preset } = settings;
  const metadata = metadataLevel(settings);
  const extension = extensionOf(encodedFormat(format, image.format));
  const targets = wanted.map(() => scratch.newFile());
  const work = (source: string) =>
    processor.render(
      {
        source,
        identity: image.sha256,
        facts: image,
        format,
        preset,
        metadata,
        embed,
        insists: settings.quality === 'exact',
        signs: processor.signerOf(image, { format, metadata }) !== undefined,
        variants: wanted.map(({ spec }, index) => ({ ...spec, target: targets[index] ?? '' })),
      },
      options,
    );
  try {
    const rendered = await outlastOutage(() => store.withLocalFile(image.uploadPath, work, image), options.signal);
    const records = rendered.map(({ name: _name, file: _file, ...facts }, index) => {
      const key = wanted[index]?.key ?? '';
      const before = damaged.get(key);
      // Equal bytes take the place of the damaged ones, so that what refers to them is whole again.
      const isRepair = before !== undefined && before.sha256 === facts.sha256;
      return {
        ...facts,
        _id: key,
        accountId: image.accountId,
        sourceSha256: image.sha256,
        path: isRepair ? before.path : newVariantKey(key, extension),
        isUncounted: before?.isUncounted ?? true,
        usedAt: now(),
      };
    });
    await Promise.all(records.map((record, index) => keep(context, record, targets[index] ?? '', options.signal)));
    return records;
  } finally {
    await scratch.discard(targets);
  }
}

/** Stores a file and its record. The file that it replaces, of another server or lost from sight, is removed. */
async function keep(context: MakeDeps, record: CachedVariantRecord, file: string, signal: AbortSignal): Promise<void> {
  const { size, sha256, mimeType: contentType } = record;
  await outlastOutage(() => context.store.putFile(record.path, file, { size, sha256, contentType }), signal);
  const replaced = await context.cachedVariants.put(record);
  if (replaced !== null && replaced !== record.path) await collectFiles(context, [replaced]);
}
