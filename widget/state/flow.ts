import { SAMPLE_IMAGE_LIMIT } from '#contract/constants';
import type { Core } from './core.ts';
import { canExport, itemsOf } from './review/item-questions.ts';
import { createMetadataSaver } from './review/metadata-saver.ts';
import { createReview } from './review/review.ts';
import { createAnalysisRun } from './runs/analysis-run.ts';
import { createCost } from './runs/cost.ts';
import { createExports, type Exports } from './runs/exports.ts';
import { createFiles } from './runs/files.ts';
import { createResults } from './runs/results.ts';
import type { Runs } from './runs/runs.ts';
import { createSampleRun } from './runs/sample-run.ts';
import { createPersistence } from './session/persistence.ts';
import { createRehydration } from './session/rehydrate.ts';
import type { SavedState } from './session/saved-types.ts';
import type { Item, Phase } from './types.ts';

/** Creates the actions on images. Loaded with the first image, so that an empty widget is small. */
export function createFlow(core: Core, runs: Runs) {
  const { store, config } = core;
  const persistence = createPersistence(core, { edits: () => saver.edits() });
  const saver = createMetadataSaver(core, persistence.scheduleSave);
  const results = createResults(core);
  const cost = createCost(core);
  const review = createReview(core, saver, (ids) => {
    results.refresh(ids);
    persistence.save();
  });
  const analyses = createAnalysisRun({ core, runs, saver, review, results });
  const samples = createSampleRun({ core, runs, saver, results });
  const rehydration = createRehydration({
    core,
    saver,
    results,
    persistence,
    samples,
    analyses,
    exports: () => exports,
  });
  const exports: Exports = createExports({
    core,
    runs,
    saver,
    results,
    cost,
    readSession: rehydration.readSession,
  });
  const files = createFiles(core, runs);
  let lost: { sessionId: string; saved?: SavedState } | null = null;

  return {
    persistence,
    saver,
    cost,
    review,
    exports,
    files,
    analyze: analyses.analyze,
    sample: samples.sample,
    /** An image is at the server. */
    uploaded({ id, file, metadata, origins }: Item) {
      persistence.scheduleSave();
      saver.uploaded(id);
      // What came with an address could not be sent along with it.
      const own = (['title', 'alt'] as const).filter((field) => origins[field] === 'cms');
      if (config.importBy === 'server' && !file && own.length > 0) {
        saver.put(id, Object.fromEntries(own.map((field) => [field, metadata[field]])));
      }
    },
    settingsChanged() {
      results.refresh();
      exports.forgetOutcome();
      persistence.save();
    },
    checkCost(ids?: readonly string[]) {
      return cost.check(itemsOf(store, ids).filter(canExport).length);
    },
    /** Forgets what it knows of items. */
    forget(ids: readonly string[]) {
      for (const id of ids) saver.forget(id);
      review.forget(ids);
      results.forget(ids);
    },
    async attach(sessionId: string, saved?: SavedState) {
      lost = null;
      const { epoch } = core;
      const isOutdated = () => core.epoch !== epoch;
      try {
        const items = await rehydration.attach(sessionId, saved, isOutdated);
        if (isOutdated()) return;
        if (items.length > 0) core.emit('io-add', { items });
        core.announcer.say('added', core.t('announce.attached', { count: items.length }));
      } catch (cause) {
        if (isOutdated()) return;
        const error = runs.fail(cause, 'attach');
        // A session that has expired is no reason not to begin a new one.
        if (error.code === 'not_found') return;
        core.blocked = error;
        lost = { sessionId, saved };
      }
    },
    /** The session that could not be read, to try again. */
    lost: () => lost,
    async retry(phase: Phase, ids: readonly string[]) {
      if (phase === 'analyze') await analyses.analyze(ids);
      else if (phase === 'sample') await samples.sample(ids.slice(0, SAMPLE_IMAGE_LIMIT));
      else if (phase === 'export') await exports.exportImages(ids);
    },
    dispose() {
      persistence.dispose();
      saver.dispose();
      cost.dispose();
    },
  };
}

/** Actions on images. */
export type Flow = ReturnType<typeof createFlow>;
