import type { LimitFunction } from 'p-limit';
import type { ImageResult, Settings } from '#contract';
import type { ImageRecord, ImageRepository, OutputRepository, SessionRepository } from '../db/index.ts';
import type { JobKind } from '../jobs/index.ts';
import type { Processor } from '../processing/index.ts';
import { exportImage, planTasks } from './export-image.ts';
import { namespaceOf } from './prepare-job.ts';
import { withCurrentNames } from './rename-files.ts';
import { failedResult, summarize } from './results.ts';
import type { OrderOptions, VariantCache } from './variant-cache.ts';
import { writeHtml } from './write-html.ts';

interface ExportKindDeps {
  cache: VariantCache;
  outputs: OutputRepository;
  images: ImageRepository;
  sessions: Pick<SessionRepository, 'addBytes'>;
  processor: Processor;
  now: () => Date;
  /** Counts an image that was encoded without a gain towards the day's samples. */
  countSample: (accountId: string, jobId: string) => Promise<void>;
  /** Computes the placeholder of an image. */
  placeholderOf: (image: ImageRecord, options: Pick<OrderOptions, 'turn' | 'signal'>) => Promise<string>;
  /** True while a backup needs every file. */
  keepsFiles: () => Promise<boolean>;
}

/** Time after which a sample without a listener stops, in milliseconds. */
const SAMPLE_UNHEARD_MS = 30_000;

/** Creates the job kinds of exports and samples: one pipeline, two namespaces. */
export function createExportKinds(deps: ExportKindDeps): Record<'export' | 'sample', JobKind<ImageResult>> {
  const ownerQueues = new Map<string, LimitFunction>();
  const exported = createExportKind(deps, ownerQueues);
  return { export: exported, sample: { ...exported, isPaid: false, stopsUnheardAfterMs: SAMPLE_UNHEARD_MS } };
}

function createExportKind(deps: ExportKindDeps, ownerQueues: Map<string, LimitFunction>): JobKind<ImageResult> {
  const { outputs, processor } = deps;
  return {
    steps: ['load', 'optimize', 'resize', 'save'],
    // More images than workers, so that no worker waits while results are written.
    concurrency: processor.stats().workers + 2,
    isShared: true,
    isPaid: true,
    stopsUnheardAfterMs: null,

    async plan(job, images) {
      const taken = await outputs.namesOf(namespaceOf(job));
      return planTasks(job, images, taken).map((task) => ({
        index: task.index,
        image: task.image,
        weight: task.image.width * task.image.height * task.image.pages,
        run: ({ signal, onStep, isHeard }) => {
          const urgency = () => (job.kind === 'export' ? 'paid' : isHeard() ? 'free' : 'idle');
          const turn = { account: job.accountId, job: job._id, urgency };
          return exportImage(task, { signal, onStep, turn }, { ...deps, ownerQueues });
        },
      }));
    },

    failed(job, image, error) {
      const asked = job.images.find(({ imageId }) => imageId === image._id) ?? {};
      return failedResult(image, asked, job.settings as Settings, error);
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
