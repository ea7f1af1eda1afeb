import { SAMPLE_IMAGE_LIMIT } from '#contract/constants';
import type { Core } from './core.ts';
import { canExport, itemsOf } from './review/item-questions.ts';
import { createLanguages } from './review/languages.ts';
import { MetadataSaver } from './review/metadata-saver.ts';
import { createReview } from './review/review.ts';
import { type AnalysisRun, createAnalysisRun } from './runs/analysis-run.ts';
import { createCost } from './runs/cost.ts';
import { createExports, type Exports } from './runs/exports.ts';
import { createFiles } from './runs/files.ts';
import { createResults } from './runs/results.ts';
import type { Runs } from './runs/runs.ts';
import { createSampleRun } from './runs/sample-run.ts';
import { createAttachment } from './session/attachment.ts';
import { loseImages } from './session/lost-items.ts';
import { createPersistence } from './session/persistence.ts';
import { createRehydration } from './session/rehydrate.ts';
import type { Item, Phase } from './types.ts';
import type { Uploading } from './uploads/uploading.ts';

/** Creates the actions on images. Its code is loaded with the first image, so that an empty element loads less. */
export function createFlow(core: Core, runs: Runs) {
  const persistence = createPersistence(core, { edits: () => saver.edits() });
  const results = createResults(core);
  const saver = new MetadataSaver(core, (id, { renamedFiles }) => {
    results.rename(id, renamedFiles ?? []);
    persistence.scheduleSave();
  });
  const cost = createCost(core);
  const review = createReview(core, saver, (ids) => {
    results.refresh(ids);
    persistence.save();
  });
  const shared = { core, runs, saver, results };
  const languages = createLanguages(core, review);
  const analyses = createAnalysisRun({ ...shared, review });
  const samples = createSampleRun(shared);
  const rehydration = createRehydration({ ...shared, persistence, samples, analyses, exports: () => exports });
  const exports: Exports = createExports({ ...shared, cost, readSession: rehydration.readSession });

  return {
    persistence,
    saver,
    cost,
    review,
    exports,
    files: createFiles(core, runs),
    analyze: analyses.analyze,
    sample: samples.sample,
    samplePreset: samples.samplePreset,
    attachment: createAttachment(core, runs, rehydration, persistence),
    addLost: rehydration.addLost,
    /** Leaves a session that has ended at the service, and uploads its images and texts to a new one. */
    renew(uploading: Uploading) {
      runs.leave();
      Object.assign(core, { sessionId: null, blocked: null });
      core.notices.drop();
      loseImages(shared, results);
      exports.forgetOutcome();
      cost.outdate();
      uploading.upload();
      uploading.queue.resume();
    },
    /** Called when an image is stored at the service. */
    uploaded(item: Item) {
      persistence.scheduleSave();
      saver.uploaded(item.id);
      saveImportedTexts(core, saver, item);
    },
    settingsChanged() {
      languages.refresh();
      results.refresh();
      exports.forgetOutcome();
      persistence.save();
    },
    checkCost: (ids?: readonly string[]) => cost.check(itemsOf(core.store, ids).filter(canExport).length),
    /** Forgets removed items. */
    forget(ids: readonly string[]) {
      for (const id of ids) saver.forget(id);
      review.forget(ids);
      results.forget(ids);
    },
    retry: (uploading: Uploading, ids?: readonly string[]) =>
      retryFailed({ core, saver, analyses, samples, exports, uploading }, itemsOf(core.store, ids)),
    dispose() {
      persistence.dispose();
      saver.dispose();
      cost.dispose();
    },
  };
}

/** Actions on images. */
export type Flow = ReturnType<typeof createFlow>;

/** Saves the texts of a media item that the service has imported by its address, since imports carry no texts. */
function saveImportedTexts({ config }: Core, saver: MetadataSaver, { id, file, metadata, origins }: Item) {
  if (config.importBy !== 'server') return;
  const own = (['title', 'alt'] as const).filter((field) => origins[field] === 'cms');
  if (!file && own.length > 0) saver.put(id, Object.fromEntries(own.map((field) => [field, metadata[field]])));
}

/** Parts that repeat a phase. */
interface RetryDeps {
  core: Core;
  saver: MetadataSaver;
  analyses: Pick<AnalysisRun, 'analyze' | 'unanswered'>;
  samples: Pick<ReturnType<typeof createSampleRun>, 'sample'>;
  exports: Exports;
  uploading: Uploading;
}

/** Repeats the failed phase of each failed item. */
async function retryFailed(
  { core, saver, analyses, samples, exports, uploading }: RetryDeps,
  items: readonly Item[],
): Promise<void> {
  const { queue } = uploading;
  for (const phase of ['upload', 'analyze', 'sample', 'export']) core.notices.drop(`error-${phase}`);
  if (!queue.paused) queue.resume();
  saver.retry();
  const failed = new Map<Phase, string[]>();
  for (const { id, error } of items) {
    if (error) failed.set(error.phase, [...(failed.get(error.phase) ?? []), id]);
    else if (analyses.unanswered(id)) failed.set('analyze', [...(failed.get('analyze') ?? []), id]);
  }
  for (const [phase, ids] of failed) {
    if (phase === 'upload') {
      uploading.upload(ids);
      await queue.idle();
    } else if (phase === 'analyze') await analyses.analyze(ids);
    else if (phase === 'sample') await samples.sample(ids.slice(0, SAMPLE_IMAGE_LIMIT));
    else if (phase === 'export') await exports.exportImages(ids);
  }
}
