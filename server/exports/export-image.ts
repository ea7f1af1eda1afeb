import { createHash } from 'node:crypto';
import type { LimitFunction } from 'p-limit';
import { EMBEDDED_FIELDS, type ImageResult, pickFields, type Settings } from '#contract';
import { encodedFormat } from '#contract/constants';
import { inTurn } from '../concurrency.ts';
import type {
  CachedVariantRecord,
  ImageRecord,
  ImageRepository,
  JobImage,
  JobRecord,
  OutputFile,
  OutputRecord,
  OutputRepository,
  SessionRepository,
} from '../db/index.ts';
import type { PlannedJob } from '../jobs/index.ts';
import { extensionOf, planVariants, type VariantSpec } from '../processing/index.ts';
import { createNamePlanner, type PlannedNames } from './plan-names.ts';
import { namespaceOf } from './prepare-job.ts';
import { renameFiles } from './rename-files.ts';
import { completedResult, resultWithoutGain } from './results.ts';
import { candidatesOf, selectSmaller } from './select-variants.ts';
import type { OrderOptions, VariantCache, VariantOrder } from './variant-cache.ts';

interface ExportImageDeps {
  cache: VariantCache;
  outputs: OutputRepository;
  images: ImageRepository;
  sessions: Pick<SessionRepository, 'addBytes'>;
  /** True while a backup needs every file; a replaced file goes with its session then. */
  keepsFiles: () => Promise<boolean>;
  now: () => Date;
  /** Counts an image that was encoded without a gain towards the day's samples. */
  countSample: (accountId: string) => Promise<void>;
  /** Queues by owner of file names, one task at a time; entries exist only while the owner has work. */
  ownerQueues: Map<string, LimitFunction>;
}

/** One image of a job, with its variants and file names planned before the work starts. */
export interface ImageTask {
  job: JobRecord;
  /** Place in the request, from 0. */
  index: number;
  image: ImageRecord;
  asked: JobImage;
  settings: Settings;
  /** The variants that may be delivered. */
  variants: VariantSpec[];
  skippedSizes: number[];
  /** Owner of the file names: namespace, image and settings. */
  owner: string;
  names: PlannedNames;
}

/** Plans variants and file names of every image of a job, in request order, so that names do not depend on timing. */
export function planTasks(job: PlannedJob, images: Map<string, ImageRecord>, taken: Map<string, string>): ImageTask[] {
  const namespace = namespaceOf(job);
  const settings = job.settings as Settings;
  const plan = createNamePlanner(taken);
  return job.images.flatMap((asked, index) => {
    const image = images.get(asked.imageId);
    if (!image) return [];
    const { variants, skippedSizes } = planFiles(image, asked, settings);
    const owner = `${namespace}:${image._id}:${outputHash({ asked, settings })}`;
    const extension = extensionOf(encodedFormat(settings.format, image.format));
    const { originalFilename } = image;
    const names = plan({ owner, wanted: asked.filename, originalFilename, extension, variants });
    return [{ job, index, image, asked, settings, variants, skippedSizes, owner, names }];
  });
}

/** Returns the order of an image's variants: what they are made of, and which there are. */
export function orderVariants(image: ImageRecord, asked: JobImage, settings: Settings): VariantOrder {
  const embed = settings.embedMetadata ? pickFields(asked, EMBEDDED_FIELDS) : undefined;
  return { image, settings, embed, variants: planFiles(image, asked, settings).variants };
}

/** Plans the variants that may be delivered. */
function planFiles(image: ImageRecord, { focalPoint, replaces }: JobImage, settings: Settings) {
  const { variants, skippedSizes } = planVariants(image, focalPoint ? { ...settings, focalPoint } : settings);
  return { variants: candidatesOf(variants, replaces), skippedSizes };
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
  const { job, image, asked, settings, skippedSizes } = planned;
  const order = orderVariants(image, asked, settings);

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

  const { records: obtained, fromCache } = await deps.cache.obtain(order, encoding);
  const chosen = selectSmaller(image, planned.variants, obtained, asked.replaces);
  if (chosen.length === 0) {
    // Counted before the result is stored: a repetition after a crash in between finds the files in the cache.
    if (!fromCache) await deps.countSample(job.accountId);
    return resultWithoutGain({ image, asked, settings, fromCache, skippedSizes });
  }
  options.onStep('save');
  const task = narrow(planned, chosen);
  return inTurn(deps.ownerQueues, task.owner, async () => {
    for (let records = pick(obtained, chosen); ; ) {
      options.signal.throwIfAborted();
      const files = await publish(task, records, deps);
      await renameIfEdited(task, deps);
      const namespace = namespaceOf(job);
      if (await deps.cache.holds(records))
        return completedResult({ image, asked, settings, namespace, files, records, skippedSizes, fromCache });
      // Evicted since they were obtained, so their files may have been removed before they were published.
      records = pick((await deps.cache.obtain(order, encoding)).records, chosen);
    }
  });
}

/** Renames published files whose name was edited after they were ordered; their results get the new names when they are read. */
async function renameIfEdited({ job, image, asked }: ImageTask, deps: ExportImageDeps): Promise<void> {
  if (job.kind === 'sample') return;
  const current = await deps.images.find(image.accountId, image.sessionId, image._id);
  if ((current?.renames ?? 0) > (asked.renames ?? 0)) await renameFiles(deps, image);
}

/** Returns a task with the chosen ones of its variants. */
function narrow(task: ImageTask, chosen: number[]): ImageTask {
  const { filenames, keys } = task.names;
  const names = { filenames: pick(filenames, chosen), keys: pick(keys, chosen) };
  return { ...task, variants: pick(task.variants, chosen), names };
}

/** Returns the items at these places. */
function pick<T>(items: T[], places: number[]): T[] {
  return places.flatMap((place) => items[place] ?? []);
}

/** Publishes the files under their names and removes earlier files of the same image and settings. */
async function publish(task: ImageTask, records: CachedVariantRecord[], deps: ExportImageDeps): Promise<OutputFile[]> {
  const { outputs, now } = deps;
  const { job, image, owner, variants } = task;
  const contents = records.map((record) => record._id);
  const namespace = namespaceOf(job);
  for (;;) {
    const files = records.map((record, index) => ({
      variant: variants[index]?.name ?? '',
      filename: task.names.filenames[index] ?? '',
      path: record.path,
      size: record.size,
      width: record.width,
      height: record.height,
      mimeType: record.mimeType,
      sha256: record.sha256,
    }));
    const replaced = await outputs.publish({
      _id: owner,
      accountId: job.accountId,
      sessionId: job.sessionId,
      namespace,
      names: task.names.keys,
      files,
      contents,
      updatedAt: now(),
    });
    if (replaced !== 'taken') {
      const current = new Set(files.map(({ path }) => path));
      const old = replaced.files.map(({ path }) => path).filter((path) => !current.has(path));
      if (old.length > 0 && !(await deps.keepsFiles())) await deps.cache.collect(old);
      await countBytes(task, { files, contents }, replaced, deps);
      return files;
    }
    // Another job took one of the names after they were planned.
    const extension = extensionOf(encodedFormat(task.settings.format, image.format));
    const { originalFilename } = image;
    const request = { owner, wanted: task.asked.filename, originalFilename, extension, variants };
    task.names = createNamePlanner(await outputs.namesOf(namespace))(request);
  }
}

/** Adds what was written to the bytes of the session, and takes off what was replaced; equal contents count once. */
async function countBytes(
  { job, owner }: ImageTask,
  current: Pick<OutputRecord, 'files' | 'contents'>,
  replaced: Pick<OutputRecord, 'files' | 'contents'>,
  { outputs, sessions }: ExportImageDeps,
): Promise<void> {
  const [added, removed] = [sizesOf(current), sizesOf(replaced)];
  for (const content of [...added.keys()].filter((one) => removed.has(one))) {
    added.delete(content);
    removed.delete(content);
  }
  const changed = [...added.keys(), ...removed.keys()];
  if (changed.length === 0) return;
  const held = await outputs.heldByOthers(job.sessionId, owner, changed);
  const sum = (sizes: Map<string, number>) =>
    [...sizes].reduce((bytes, [content, size]) => (held.has(content) ? bytes : bytes + size), 0);
  await sessions.addBytes({ _id: job.sessionId, accountId: job.accountId }, sum(added) - sum(removed));
}

/** Returns the size of each content in bytes. */
function sizesOf({ files, contents = [] }: Pick<OutputRecord, 'files' | 'contents'>): Map<string, number> {
  return new Map(contents.map((content, index) => [content, files[index]?.size ?? 0]));
}

/** Hashes what identifies a set of files: an export with equal settings replaces its earlier files, others do not. */
function outputHash({ asked, settings }: Pick<ImageTask, 'asked' | 'settings'>): string {
  const { format, preset, responsive, responsiveSizes, embedMetadata, keepCopyright, language } = settings;
  const sizes = responsive ? (responsiveSizes ?? 'default') : null;
  const { maxWidth, maxHeight } = settings;
  const focalPoint = asked.focalPoint ?? settings.focalPoint;
  const cropped = Array.isArray(sizes) && sizes.some(({ fit }) => fit === 'cover');
  // Absent ones are left out: files of before versions keep their owner.
  const later = [
    ...(asked.replaces ? ['onlySmaller'] : []),
    ...(maxWidth || maxHeight ? [{ maxWidth, maxHeight }] : []),
    ...(focalPoint && cropped ? [{ focalPoint }] : []),
    ...(embedMetadata && language ? [{ language }] : []),
  ];
  const canonical = JSON.stringify([format, preset, sizes, embedMetadata, keepCopyright, ...later]);
  return createHash('sha256').update(canonical).digest('hex').slice(0, 12);
}
