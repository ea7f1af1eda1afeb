import type { AnalysisResult, ProgressEvent } from '#contract';
import type { Core } from '../core.ts';
import { EDITABLE_FIELDS, isMissingText, itemsOf } from '../review/item-questions.ts';
import type { MetadataSaver } from '../review/metadata-saver.ts';
import type { Review } from '../review/review.ts';
import type { Item } from '../types.ts';
import { fromMetadata } from '../uploads/new-item.ts';
import { type OpenStream, readRunJob } from './read-run-job.ts';
import { failRun, itemError, type Results, restItems, restingStatus } from './results.ts';
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

/** Values of `aiStatus` if the model gave no texts, so that they come from the file. */
const NO_ANSWER = ['failed', 'timeout', 'refused', 'unavailable', 'limit'];
/** Those of them that another try may change. */
const AGAIN = ['failed', 'timeout', 'unavailable'];

/** Findings of an analysis about an image. */
type Found = Pick<ProgressEvent, 'texts'> & { metadata?: AnalysisResult['metadata'] };

type Failure = { code: string; message: string } | null;

/** A run of one analysis. */
interface Run extends AnalysisDeps {
  progress: RunProgress;
  /** True to replace texts of a person. */
  overwrite: boolean;
  /** Ids of the items that have their texts. */
  described: Set<string>;
  changes: { before: Item; after: Item }[];
  /** Ids of the items that the model gave no texts for, and may when it is asked again. */
  unanswered: Set<string>;
}

/** Creates the analyses of the element: texts appear while an analysis runs, and edits made meanwhile stay. */
export function createAnalysisRun(deps: AnalysisDeps) {
  const { core, runs, saver } = deps;
  const { store } = core;
  const unanswered = new Set<string>();
  return {
    /** True if the model gave no texts for an item, and may when it is asked again. */
    unanswered: (id: string) => unanswered.has(id),
    async analyze(ids?: readonly string[], { missing = false, overwrite = false, context = '' } = {}) {
      const wanted = itemsOf(store, ids).filter(
        (item) => item.imageId !== null && (!missing || isMissingText(item) || !item.metadata.title),
      );
      const images = wanted.flatMap(({ imageId }) => imageId ?? []);
      const { sessionId } = core;
      if (images.length === 0 || !sessionId) return;
      await runs.start('analyzing', async (signal) => {
        // The service keeps edited texts, so it has to know the edits first.
        await saver.flush();
        if (signal.aborted) return;
        for (const { id } of wanted) store.patch(id, { status: 'analyzing', step: 'queued', progress: 0, error: null });
        const options = {
          ...core.config.analyzeOptions,
          ...(overwrite ? { overwrite } : {}),
          ...(context ? { context } : {}),
        };
        const open = (closing: AbortSignal) =>
          core.transport().analyzeImages(sessionId, { images, options }, { signal: closing });
        await read({ ...deps, unanswered }, open, images.length, { signal, overwrite });
      });
    },
    /** Follows an analysis in progress at the service. */
    follow(jobId: string, total: number) {
      const open = (closing: AbortSignal) => core.transport().followJob(jobId, { signal: closing });
      return runs.start('analyzing', (signal) =>
        read({ ...deps, unanswered }, open as OpenStream<AnalysisResult>, total, { signal, overwrite: false }),
      );
    },
  };
}

/** Analyses of the element. */
export type AnalysisRun = ReturnType<typeof createAnalysisRun>;

/** Reads an analysis to its end and puts its texts into the items. */
async function read(
  deps: AnalysisDeps & Pick<Run, 'unanswered'>,
  open: OpenStream<AnalysisResult>,
  total: number,
  { signal, overwrite }: { signal: AbortSignal; overwrite: boolean },
): Promise<void> {
  const { core, runs, review, results } = deps;
  const { store } = core;
  const progress = createRunProgress(core, runs, { phase: 'analyze', status: 'analyzing', total });
  const run: Run = { ...deps, progress, overwrite, described: new Set(), changes: [] };
  try {
    const end = await readRunJob(core, open, signal, (event) => onProgress(run, event));
    for (const result of end.results) {
      const item = store.byImageId(result.imageId);
      if (!item) continue;
      if (result.status === 'failed') fail(core, item, result.error);
      else if (!run.described.has(item.id)) describe(run, item, result);
    }
    if (end.credits) core.balance = end.credits.balance;
    reportOutcome(run, end.results, end.error);
  } catch (cause) {
    progress.end(0, 0);
    failRun(core, runs, 'analyzing', 'analyze', cause);
  } finally {
    restItems(core, 'analyzing');
    review.recordOverwritten(run.changes);
    results.refresh();
    const items = [...itemsOf(store, [...run.described])];
    if (items.length > 0) core.emit('io-analyze', { items });
    if (store.filter !== 'all') store.setFilter(store.filter);
  }
}

function onProgress(run: Run, event: ProgressEvent): void {
  const taken = run.progress.take(event);
  if (!taken) return;
  const { item, progress, emits } = taken;
  if (event.status === 'completed' && event.metadata) describe(run, item, event);
  if (event.status === 'failed') fail(run.core, item, event.error ?? null);
  if (emits) run.core.emit('io-analyze-progress', { id: item.id, done: progress.done, total: progress.total });
}

/** Puts the texts of an analysis into an item. */
function describe({ core, saver, overwrite, described, changes }: Run, item: Item, found: Found): void {
  const { metadata = null, texts } = found;
  const { language } = core.settings;
  const after = core.store.patch(item.id, {
    ...fromMetadata(item, metadata, { kept: saver.fieldsOf(item.id), overwrite, texts, language }),
    analyzed: true,
    error: null,
    status: restingStatus({ ...item, error: null }),
    step: null,
    progress: 1,
  });
  if (!after) return;
  described.add(item.id);
  changes.push({ before: item, after });
  for (const field of EDITABLE_FIELDS) {
    const [previous, value] = [item.metadata[field], after.metadata[field]];
    if (previous !== value) core.emit('io-metadata-change', { id: item.id, field, value, previous, origin: 'ai' });
  }
}

function fail(core: Core, item: Item, failure: Failure): void {
  const error = itemError(core, failure, 'analyze', item.id);
  core.store.patch(item.id, { error, status: restingStatus({ ...item, error }), step: null });
}

/** Announces the outcome of an analysis, and shows notices about failed images and missing texts of the model. */
function reportOutcome(
  { core, runs, progress, unanswered }: Run,
  all: readonly AnalysisResult[],
  error: Failure,
): void {
  const { notices, t } = core;
  const real = all.filter((result) => result.error === null || itemError(core, result.error, 'analyze', '') !== null);
  const failed = real.filter(({ status }) => status === 'failed').length;
  const unasked = all.filter(({ aiStatus }) => aiStatus === 'none').length;
  notices.drop('error-analyze');
  const silent = all.filter(({ aiStatus }) => aiStatus && NO_ANSWER.includes(aiStatus)).length;
  for (const { imageId, aiStatus } of all) {
    const id = core.store.byImageId(imageId)?.id ?? '';
    if (aiStatus && AGAIN.includes(aiStatus)) unanswered.add(id);
    else unanswered.delete(id);
  }
  const isAgain = all.some(({ aiStatus }) => aiStatus && AGAIN.includes(aiStatus));
  const isLoading = all.some(({ aiReason }) => aiReason === 'loading');
  progress.end(real.length - failed - silent - unasked, failed);
  if (silent + unasked > 0) {
    const key = isLoading ? 'notice.analysis_loading' : 'notice.analysis_fallback';
    const message = () => (unasked ? t('notice.no_model') : t(key, { count: silent }));
    core.announcer.say('analysis', message);
    notices.show('analysis', { kind: 'warning', message, phase: 'analyze', actions: isAgain ? ['retry'] : [] });
  } else notices.drop('analysis');
  if (error && real.length === 0 && error.code !== 'job_cancelled') runs.fail(error, 'analyze', ['retry']);
  else if (failed > 0) {
    const message = () => t('notice.analyze_failed', { count: failed });
    notices.show('error-analyze', { kind: 'error', message, phase: 'analyze', actions: ['retry'] });
  }
}
