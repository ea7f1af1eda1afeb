import type { AnalysisResult, Metadata, ProgressEvent } from '#contract';
import type { Core } from '../core.ts';
import { EDITABLE_FIELDS, isMissingText, itemsOf } from '../review/item-questions.ts';
import type { MetadataSaver } from '../review/metadata-saver.ts';
import type { Review } from '../review/review.ts';
import type { Item } from '../types.ts';
import { fromMetadata } from '../uploads/new-item.ts';
import { type OpenStream, readRunJob } from './read-run-job.ts';
import { type Results, restingStatus } from './results.ts';
import { createRunProgress, type RunProgress } from './run-progress.ts';
import type { Runs } from './runs.ts';

/** Dependencies of an analysis. */
export interface AnalysisDeps {
  core: Core;
  runs: Runs;
  saver: MetadataSaver;
  review: Review;
  results: Results;
}

/** The model was asked and gave nothing: texts come from the file. */
const NO_ANSWER = ['failed', 'timeout', 'refused', 'unavailable', 'limit'];

/** Describes images; their rows fill while it runs, and what a person writes meanwhile stays. */
export function createAnalysisRun({ core, runs, saver, review, results }: AnalysisDeps) {
  const { store } = core;

  async function read(
    open: OpenStream<AnalysisResult>,
    total: number,
    {
      signal,
      overwrite = false,
    }: {
      signal: AbortSignal;
      overwrite?: boolean;
    },
  ) {
    const runProgress = createRunProgress(core, runs, { phase: 'analyze', status: 'analyzing', total });
    const described = new Set<string>();
    const overwritten: { before: Item; after: Item }[] = [];

    function describe(item: Item, metadata: Metadata | null) {
      const changes = fromMetadata(item, metadata, { kept: saver.fieldsOf(item.id), overwrite });
      const after = store.patch(item.id, {
        ...changes,
        analyzed: true,
        error: null,
        status: restingStatus({ ...item, error: null }),
        step: null,
        progress: 1,
      });
      if (!after) return;
      described.add(item.id);
      overwritten.push({ before: item, after });
      for (const field of EDITABLE_FIELDS) {
        const [previous, value] = [item.metadata[field], after.metadata[field]];
        if (previous !== value) core.emit('io-metadata-change', { id: item.id, field, value, previous, origin: 'ai' });
      }
    }

    function fail(item: Item, failure: { code: string; message: string } | null) {
      const error = results.errorOf(failure, 'analyze', item.id);
      store.patch(item.id, { error, status: restingStatus({ ...item, error }), step: null });
    }

    function onProgress(event: ProgressEvent) {
      const taken = runProgress.take(event);
      if (!taken) return;
      const { item, progress, emits } = taken;
      if (event.status === 'completed' && event.metadata) describe(item, event.metadata);
      if (event.status === 'failed') fail(item, event.error ?? null);
      if (emits) core.emit('io-analyze-progress', { id: item.id, done: progress.done, total: progress.total });
    }

    try {
      const end = await readRunJob(core, open, signal, onProgress);
      for (const result of end.results) {
        const item = store.byImageId(result.imageId);
        if (!item) continue;
        if (result.status === 'failed') fail(item, result.error);
        else if (!described.has(item.id)) describe(item, result.metadata);
      }
      if (end.credits) core.balance = end.credits.balance;
      tellOutcome(end.results, end.error, runProgress);
    } catch (cause) {
      runProgress.end(0, 0);
      results.fail(runs, 'analyzing', 'analyze', cause);
    } finally {
      results.rest('analyzing');
      review.recordOverwritten(overwritten);
      results.refresh();
      const items = [...itemsOf(store, [...described])];
      if (items.length > 0) core.emit('io-analyze', { items });
      if (store.filter !== 'all') store.setFilter(store.filter);
    }
  }

  function tellOutcome(
    all: readonly AnalysisResult[],
    error: { code: string; message: string } | null,
    runProgress: RunProgress,
  ) {
    const real = all.filter((result) => result.error === null || results.errorOf(result.error, 'analyze', '') !== null);
    const failed = real.filter(({ status }) => status === 'failed').length;
    runProgress.end(real.length - failed, failed);
    core.notices.drop('error-analyze');
    const silent = all.filter(({ aiStatus }) => aiStatus && NO_ANSWER.includes(aiStatus)).length;
    if (silent > 0) {
      const message = () => core.t('notice.analysis_fallback', { count: silent });
      core.notices.show('analysis', { kind: 'warning', message, phase: 'analyze' });
    } else core.notices.drop('analysis');
    if (error && real.length === 0 && error.code !== 'job_cancelled') runs.fail(error, 'analyze', ['retry']);
    else if (failed > 0) {
      const message = () => core.t('notice.analyze_failed', { count: failed });
      core.notices.show('error-analyze', { kind: 'error', message, phase: 'analyze', actions: ['retry'] });
    }
  }

  return {
    async analyze(ids?: readonly string[], { missing = false, overwrite = false } = {}) {
      const wanted = itemsOf(store, ids).filter(
        (item) => item.imageId !== null && (!missing || isMissingText(item) || !item.metadata.title),
      );
      const images = wanted.flatMap(({ imageId }) => imageId ?? []);
      const { sessionId } = core;
      if (images.length === 0 || !sessionId) return;
      await runs.start('analyzing', async (signal) => {
        // What a person wrote has to be at the service before it decides what to write.
        await saver.flush();
        if (signal.aborted) return;
        for (const { id } of wanted) store.patch(id, { status: 'analyzing', step: 'queued', progress: 0, error: null });
        const options = { ...core.config.analyzeOptions, ...(overwrite ? { overwrite } : {}) };
        const open = (closing: AbortSignal) =>
          core.transport().analyzeImages(sessionId, { images, options }, { signal: closing });
        await read(open, images.length, { signal, overwrite });
      });
    },
    /** Joins an analysis that runs at the service. */
    follow(jobId: string, total: number) {
      return runs.start('analyzing', (signal) =>
        read(
          ((closing) => core.transport().followJob(jobId, { signal: closing })) as OpenStream<AnalysisResult>,
          total,
          {
            signal,
          },
        ),
      );
    },
  };
}

/** Describes images. */
export type AnalysisRun = ReturnType<typeof createAnalysisRun>;
