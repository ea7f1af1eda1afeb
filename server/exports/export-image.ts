import type { LimitFunction } from 'p-limit';
import { type ImageResult, type Settings, settingsFor, type Warning, warning } from '#contract';
import { inTurn } from '../concurrency.ts';
import type {
  CachedVariantRecord,
  ImageRecord,
  ImageRepository,
  OutputRepository,
  SessionRepository,
} from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { PlannedJob } from '../jobs/index.ts';
import { endedByLimit } from '../processing/index.ts';
import { createNamePlanner, imageOwner, renameFiles } from './file-names.ts';
import { gainsEnough, namespaceOf, orderVariants, type PlannedFile, planFiles, selectSmaller } from './prepare-job.ts';
import { type PublishTask, publishFiles } from './publish-files.ts';
import { completedResult, resultWithoutGain } from './results.ts';
import type { OrderOptions, VariantCache } from './variant-cache.ts';

interface ExportImageDeps {
  cache: VariantCache;
  outputs: OutputRepository;
  images: ImageRepository;
  sessions: Pick<SessionRepository, 'addBytes'>;
  /** True while a backup needs every file; a replaced file goes with its session then. */
  keepsFiles: () => Promise<boolean>;
  now: () => Date;
  /** Counts an image that was encoded without a gain towards the day's samples. */
  countSample: (accountId: string, jobId: string) => Promise<void>;
  /** Counts an image whose work ended by a limit of time or memory, and is refunded. */
  countOverrun: (accountId: string, jobId: string) => Promise<void>;
  /** Computes the placeholder of an image. */
  placeholderOf: (image: ImageRecord, options: Pick<OrderOptions, 'turn' | 'signal' | 'budget'>) => Promise<string>;
  /** Queues by owner of file names, one task at a time; entries exist only while the owner has work. */
  ownerQueues: Map<string, LimitFunction>;
}

/** One image of a job, with its variants and file names planned before the work starts. */
export interface ImageTask extends PublishTask {
  /** Place in the request, from 0. */
  index: number;
  settings: Settings;
  /** The files that may be delivered. */
  files: PlannedFile[];
  skippedSizes: number[];
}

/** Plans variants and file names of every image of a job, in request order, so that names do not depend on timing. */
export function planTasks(job: PlannedJob, images: Map<string, ImageRecord>, taken: Map<string, string>): ImageTask[] {
  const namespace = namespaceOf(job);
  const ordered = job.settings as Settings;
  const plan = createNamePlanner(taken);
  return job.images.flatMap((requested, index) => {
    const image = images.get(requested.imageId);
    if (!image) return [];
    const settings = settingsFor(ordered, image);
    const { files, skippedSizes } = planFiles(image, requested, settings);
    const owner = imageOwner(namespace, image._id);
    const { originalFilename } = image;
    const names = plan({ owner, wanted: requested.filename, originalFilename, files });
    return [{ job, index, image, requested, settings, files, skippedSizes, owner, names }];
  });
}

/**
 * Exports one image: obtains its variants from the cache or the encoder, then publishes names and files of those to deliver in
 * one step. Without any of them, files of an earlier export remain.
 */
export async function exportImage(
  planned: ImageTask,
  options: OrderOptions,
  deps: ExportImageDeps,
): Promise<ImageResult> {
  const { job, image, requested, settings, skippedSizes } = planned;

  // Saving a variant in the cache does not publish it, so `save` is reported only when the files are put in place.
  // The full-size file comes first, so a resize before it is not reported as a step.
  let optimized = false;
  const encoding: OrderOptions = {
    ...options,
    onStep(step) {
      optimized ||= step === 'optimize';
      if (step === 'load' || (step !== 'save' && optimized)) options.onStep(step);
    },
  };

  const obtain = async () => {
    try {
      return await obtainFormats(planned, encoding, deps);
    } catch (error) {
      // Samples were counted when they were ordered.
      if (job.kind === 'export' && endedByLimit(error)) await deps.countOverrun(job.accountId, job._id);
      throw error;
    }
  };
  const { records: obtained, fromCache, warnings } = await obtain();
  // Samples were counted when they were ordered, whether this one is delivered or not.
  if (job.kind === 'sample') await deps.cache.markCounted(obtained);
  const chosen = selectSmaller(image, planned.files, obtained, requested.replaces);
  if (chosen.length === 0 || !gainsEnough(planned.files, obtained, chosen, requested)) {
    // Counted before the result is stored: a repetition after a crash in between finds the files in the cache.
    if (!fromCache) await deps.countSample(job.accountId, job._id);
    const records = pick(obtained, chosen);
    return resultWithoutGain({ image, requested, settings, records, fromCache, skippedSizes });
  }
  const placeholder = settings.placeholder ? await deps.placeholderOf(image, options) : undefined;
  options.onStep('save');
  const task = narrow(planned, chosen);
  return inTurn(deps.ownerQueues, task.owner, async () => {
    for (let all = obtained; ; ) {
      options.signal.throwIfAborted();
      const records = pick(all, chosen);
      const { files, settle, withdraw } = await publishFiles(task, records, deps);
      if (await deps.cache.holds(records)) {
        await settle(deps.cache.collect);
        await renameIfEdited(task, deps);
        const namespace = namespaceOf(job);
        await deps.cache.markCounted(all);
        return completedResult({ ...task, namespace, files, records, fromCache, warnings, placeholder });
      }
      // Evicted since they were obtained, so their files may have been removed before they were published.
      await withdraw();
      all = (await obtain()).records;
    }
  });
}

/**
 * Obtains the variants of all formats. A format that cannot hold the image is left out with a warning, unless it is the only one.
 * Waits for every format, so that no work continues after the end of the image.
 */
async function obtainFormats(
  { image, requested, settings }: ImageTask,
  options: OrderOptions,
  { cache }: ExportImageDeps,
) {
  const orders = orderVariants(image, requested, settings);
  const outcomes = await Promise.allSettled(orders.map((order) => cache.obtain(order, options)));
  const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  const [fault] = failed.filter((error) => failed.length === orders.length || !isTooLarge(error));
  if (fault !== undefined) throw fault;
  const records: (CachedVariantRecord | undefined)[] = outcomes.flatMap((outcome, index) =>
    outcome.status === 'fulfilled' ? outcome.value.records : (orders[index]?.variants ?? []).map(() => undefined),
  );
  const skipped = orders.flatMap(({ settings: { format } }, index) =>
    outcomes[index]?.status === 'rejected' ? [format] : [],
  );
  const warnings: Warning[] = skipped.length > 0 ? [warning('format_skipped', skipped.join(', '))] : [];
  const fromCache = outcomes.every((outcome) => outcome.status === 'rejected' || outcome.value.fromCache);
  return { records, fromCache, warnings };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof AppError && error.code === 'output_too_large';
}

/** Renames published files whose name was edited after they were ordered; their results get the new names when they are read. */
async function renameIfEdited({ job, image, requested }: ImageTask, deps: ExportImageDeps): Promise<void> {
  if (job.kind === 'sample') return;
  const current = await deps.images.find(image.accountId, image.sessionId, image._id);
  if ((current?.renames ?? 0) > (requested.renames ?? 0)) await renameFiles(deps, image);
}

/** Returns a task with the chosen ones of its files. */
function narrow(task: ImageTask, chosen: number[]): ImageTask {
  const { filenames, keys } = task.names;
  const names = { filenames: pick(filenames, chosen), keys: pick(keys, chosen) };
  return { ...task, files: pick(task.files, chosen), names };
}

/** Returns the items at these places. */
function pick<T>(items: (T | undefined)[], places: number[]): T[] {
  return places.flatMap((place) => items[place] ?? []);
}
