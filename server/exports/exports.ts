import type { LimitFunction } from 'p-limit';
import type { ExportRequest, ImageResult, RenamedFile, Settings } from '#contract';
import type { ImageRecord, ImageRepository, OutputRepository, Repositories, SessionRepository } from '../db/index.ts';
import type { JobKind, NewJob } from '../jobs/index.ts';
import type { Logger } from '../observability/index.ts';
import { formatsOf, type Processor, writeHtml } from '../processing/index.ts';
import type { Sessions } from '../sessions/index.ts';
import { type Files, variantHashOf } from '../storage/index.ts';
import type { ExportsConfig } from './config.ts';
import { exportImage, planTasks } from './export-image.ts';
import { renameFiles, withCurrentNames } from './file-names.ts';
import { type FoundFile, findFile } from './find-file.ts';
import { namespaceOf, orderVariants, resolveImages } from './prepare-job.ts';
import { failedResult, summarize } from './results.ts';
import { createVariantCache, type OrderOptions, type VariantCache } from './variant-cache.ts';

interface ExportsDeps extends Files {
  repositories: Pick<Repositories, 'outputs' | 'images' | 'cachedVariants' | 'sessions'>;
  sessions: Sessions;
  processor: Processor;
  config: ExportsConfig;
  logger: Logger;
  /** Counts an image that was encoded without a gain towards the day's samples. */
  countSample: (accountId: string, jobId: string) => Promise<void>;
  /** Counts an image whose work ended by a limit of time or memory. */
  countOverrun: (accountId: string, jobId: string) => Promise<void>;
  /** True while a backup needs every file. */
  keepsFiles: () => Promise<boolean>;
  now?: () => Date;
}

/** Request of an export or sample. */
export interface ExportOrder {
  accountId: string;
  sessionId: string;
  kind: 'export' | 'sample';
  body: ExportRequest;
}

/** Builds the exports module: what turns uploaded images into files, and where these files are. */
export function createExports(deps: ExportsDeps) {
  const { repositories, sessions, processor, countSample, countOverrun, keepsFiles, now = () => new Date() } = deps;
  const { cachedVariants, images, outputs } = repositories;
  const cache = createVariantCache({ ...deps, cachedVariants, outputs, now });

  return {
    /** The job kinds of exports and samples. */
    kinds: createExportKinds({
      cache,
      outputs,
      images,
      sessions: repositories.sessions,
      processor,
      now,
      countSample,
      countOverrun,
      placeholderOf: ({ uploadPath, ...image }, { turn, signal, budget }) =>
        deps.store.withLocalFile(uploadPath, (source) =>
          processor.placeholder({ source, facts: image }, { turn, signal, budget }),
        ),
      keepsFiles,
    }),

    /**
     * Checks a request against what the session holds.
     * @throws session_not_found, image_not_found, duplicate_image, sample_limit_exceeded, session_mismatch,
     *   upload_path_mismatch
     */
    async resolve({ accountId, sessionId, kind, body }: ExportOrder): Promise<Omit<NewJob, 'jobId'>> {
      const held = await sessions.findImages(accountId, sessionId);
      const images = resolveImages(body, { kind, sessionId, images: held });
      return { accountId, sessionId, kind, images, settings: body.settings };
    },

    /** Counts the images of an order that have to be encoded; equal ones count once. @throws session_not_found */
    countMissing: async (order: Omit<NewJob, 'jobId'>): Promise<number> =>
      cache.countMissing(await ordersOf(sessions, order)),

    /**
     * Counts the images of an order that were neither paid for nor counted as samples before, although they may be cached: an
     * export was refunded. Equal ones count once. @throws session_not_found
     */
    countUncounted: async (order: Omit<NewJob, 'jobId'>): Promise<number> =>
      cache.countUncounted(await ordersOf(sessions, order)),

    /** Finds a file to download, see {@link findFile}. @throws session_not_found, file_not_found */
    findFile: (accountId: string, namespace: string, filename: string): Promise<FoundFile> =>
      findFile({ accountId, namespace, filename }, { sessions, outputs, now }),

    /**
     * Gives the exported files of an image the name of its metadata; costs nothing.
     * @returns all files of the image that were renamed since their export
     */
    rename: (accountId: string, sessionId: string, imageId: string): Promise<RenamedFile[]> =>
      renameFiles(repositories, { _id: imageId, accountId, sessionId }),

    /** Drops what was made from uploads of these hashes and kept for equal requests. */
    forgetSources: (accountId: string, sha256s: string[]) => cache.forget(accountId, sha256s),

    /** Records that a file was damaged when it was sent, so that the next export or sample of these settings makes it again. */
    noteDamaged: (path: string) => noteDamaged(deps, path),
    /** Removes exported files of these keys that nothing else holds. */
    collectFiles: (paths: string[]) => cache.collect(paths),

    /** Drops all that was kept for an account that is going. */
    forgetAccount: (accountId: string) => cache.forgetAccount(accountId),

    /** Drops what the cache holds too long or too much of. */
    async sweepCache(): Promise<void> {
      await cache.sweep();
    },

    /** Removes cache files that an interruption left. */
    sweepOrphans: () => cache.sweepOrphans(),
  };
}

function noteDamaged({ repositories, logger }: Pick<ExportsDeps, 'repositories' | 'logger'>, path: string): void {
  logger.error({ file: path }, 'a stored file is damaged; the next export or sample of its settings makes it again');
  repositories.cachedVariants.markDamaged({ _id: variantHashOf(path), path }).catch((err: unknown) => {
    logger.error({ err, file: path }, 'the damage of a file was not recorded');
  });
}

/** The exports module. */
export type Exports = ReturnType<typeof createExports>;

/** Returns what the images of an order are made into. */
async function ordersOf(sessions: Sessions, { accountId, sessionId, images, settings }: Omit<NewJob, 'jobId'>) {
  const held = new Map((await sessions.findImages(accountId, sessionId)).map((image) => [image._id, image]));
  return images.flatMap((requested) => {
    const image = held.get(requested.imageId);
    return image ? [orderVariants(image, requested, settings as Settings)] : [];
  });
}

interface ExportKindDeps {
  cache: VariantCache;
  outputs: OutputRepository;
  images: ImageRepository;
  sessions: Pick<SessionRepository, 'addBytes'>;
  processor: Processor;
  now: () => Date;
  /** Counts an image that was encoded without a gain towards the day's samples. */
  countSample: (accountId: string, jobId: string) => Promise<void>;
  /** Counts an image whose work ended by a limit of time or memory. */
  countOverrun: (accountId: string, jobId: string) => Promise<void>;
  /** Computes the placeholder of an image. */
  placeholderOf: (image: ImageRecord, options: Pick<OrderOptions, 'turn' | 'signal' | 'budget'>) => Promise<string>;
  /** True while a backup needs every file. */
  keepsFiles: () => Promise<boolean>;
}

/** Time after which a sample without a listener stops, in milliseconds. */
const SAMPLE_WITHOUT_LISTENER_MS = 30_000;

/** Creates the job kinds of exports and samples: one pipeline, two namespaces. */
function createExportKinds(deps: ExportKindDeps): Record<'export' | 'sample', JobKind<ImageResult>> {
  const ownerQueues = new Map<string, LimitFunction>();
  const exported = createExportKind(deps, ownerQueues);
  return {
    export: exported,
    sample: { ...exported, isPaid: false, stopsWithoutListenerAfterMs: SAMPLE_WITHOUT_LISTENER_MS },
  };
}

function createExportKind(deps: ExportKindDeps, ownerQueues: Map<string, LimitFunction>): JobKind<ImageResult> {
  const { outputs, processor } = deps;
  return {
    steps: ['load', 'optimize', 'resize', 'save'],
    // More images than workers, so that no worker waits while results are written.
    concurrency: processor.stats().workers + 2,
    isShared: true,
    isPaid: true,
    stopsWithoutListenerAfterMs: null,

    async plan(job, images) {
      const taken = await outputs.namesOf(namespaceOf(job));
      return planTasks(job, images, taken).map((task) => ({
        index: task.index,
        image: task.image,
        weight: task.image.width * task.image.height * task.image.pages,
        run: ({ signal, onStep, hasListener }) => {
          const urgency = () => (job.kind === 'export' ? 'paid' : hasListener() ? 'free' : 'idle');
          const turn = { account: job.accountId, job: job._id, urgency };
          const budget = processor.newBudget(formatsOf(task.settings, task.image.format));
          return exportImage(task, { signal, onStep, turn, budget }, { ...deps, ownerQueues });
        },
      }));
    },

    failed(job, image, error) {
      const requested = job.images.find(({ imageId }) => imageId === image._id) ?? {};
      return failedResult(image, requested, job.settings as Settings, error);
    },

    isWithoutGain,

    refresh: (job, results) => withCurrentNames(deps, namespaceOf(job), results),

    show(result, perImage) {
      const isPaid = result.status === 'completed' && !isWithoutGain(result);
      return { ...result, html: writeHtml(result), creditsCharged: isPaid ? perImage : 0 };
    },

    summarize,

    completeDetails: () => ({}),

    showSettings: ({ settings }) => ({ settings: settings as Settings, options: null }),

    finalProgress: () => ({}),

    formatOf: ({ format }) => format,
  };
}

function isWithoutGain({ variants }: ImageResult): boolean {
  return variants.length === 0;
}
