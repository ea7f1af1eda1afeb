import type { LimitFunction } from 'p-limit';
import type { ImageResult, Settings } from '#contract';
import type { OutputRepository } from '../db/index.ts';
import type { JobKind } from '../jobs/index.ts';
import type { Processor } from '../processing/index.ts';
import type { FileStore } from '../storage/index.ts';
import { exportImage, planTasks } from './export-image.ts';
import { namespaceOf } from './prepare-job.ts';
import { failedResult, summarize } from './results.ts';
import type { VariantCache } from './variant-cache.ts';

interface ExportKindDeps {
  cache: VariantCache;
  outputs: OutputRepository;
  store: FileStore;
  processor: Processor;
  now: () => Date;
}

/** Creates the job kind of exports and samples: one pipeline, two namespaces. */
export function createExportKind(deps: ExportKindDeps): JobKind<ImageResult> {
  const { outputs, processor } = deps;
  const ownerQueues = new Map<string, LimitFunction>();
  return {
    steps: ['load', 'optimize', 'resize', 'save'],
    // More images than workers, so that no worker waits while results are written.
    concurrency: processor.stats().workers + 2,
    stopsWithoutListener: false,

    async plan(job, images) {
      const taken = await outputs.namesOf(namespaceOf(job));
      return planTasks(job, images, taken).map((task) => ({
        index: task.index,
        image: task.image,
        weight: task.image.width * task.image.height * task.image.pages,
        run: ({ signal, onStep }) => exportImage(task, { signal, onStep, group: job._id }, { ...deps, ownerQueues }),
      }));
    },

    failed(job, image, error) {
      return failedResult(image, job.settings as Settings, error);
    },

    show: (result, perImage) => ({ ...result, creditsCharged: result.status === 'completed' ? perImage : 0 }),

    summarize,

    completeDetails: () => ({}),

    showSettings: ({ settings }) => ({ settings: settings as Settings, options: null }),

    finalProgress: () => ({}),

    formatOf: ({ format }) => format,
  };
}
