import type { Image, ImageResult, Job, Session } from '#contract';
import type { PaidWork } from '../../../plugin-bridge/batch/index.ts';
import type { Core } from '../core.ts';
import { shownEdits } from '../review/edits.ts';
import { canExport } from '../review/item-questions.ts';
import type { MetadataSaver } from '../review/metadata-saver.ts';
import type { AnalysisRun } from '../runs/analysis-run.ts';
import type { Exports, RunningExport } from '../runs/exports.ts';
import { itemError, type Results, restingStatus } from '../runs/results.ts';
import type { SampleRun } from '../runs/sample-run.ts';
import type { Item, ItemMetadata } from '../types.ts';
import { fromMetadata, itemOfImage } from '../uploads/new-item.ts';
import { addLost } from './lost-items.ts';
import type { Persistence } from './persistence.ts';
import type { SavedState } from './saved-types.ts';
import { asChanges, DEFAULT_SETTINGS, mergeSettings } from './settings.ts';

/** Dependencies of restoring a session. */
export interface RehydrateDeps {
  core: Core;
  saver: MetadataSaver;
  results: Results;
  persistence: Persistence;
  exports: () => Exports;
  samples: SampleRun;
  analyses: AnalysisRun;
}

const isRunning = ({ status }: Job) => status === 'created' || status === 'processing';
const settingsOf = (job: Job) => job.settings ?? DEFAULT_SETTINGS;

/** Restores sessions: images, texts and results from the service, settings and unsaved edits from this browser. */
export function createRehydration(deps: RehydrateDeps) {
  return {
    /** Reads a session into the list and joins its running jobs without waiting for them. */
    attach: (sessionId: string, saved: SavedState | undefined, isOutdated: () => boolean) =>
      attach(deps, sessionId, saved, isOutdated),
    /** Shows the images of a state whose session is gone: their texts stay, their files have to be added again. */
    addLost: (saved: SavedState) => addLost(deps, saved.items ?? []),
    /**
     * Reads the session again before an export is paid for: takes over its texts, and the results that other pages have
     * exported in the same way.
     */
    readSession: (sessionId: string, signal: AbortSignal) => readSession(deps, sessionId, signal),
  };
}

/** Access to the images, texts and results of a session. */
export type Rehydration = ReturnType<typeof createRehydration>;

async function attach(
  deps: RehydrateDeps,
  sessionId: string,
  given: SavedState | undefined,
  isOutdated: () => boolean,
): Promise<Item[]> {
  const { core, persistence } = deps;
  const session = await core.transport().getSession(sessionId);
  if (isOutdated()) return [];
  const saved = given ?? persistence.load(sessionId);
  core.sessionId = sessionId;
  if (saved) {
    persistence.adopt(saved);
    core.settings = mergeSettings(core.settings, asChanges(saved.settings)).settings;
  }
  const removed = new Set(persistence.removed());
  const places = new Map(saved?.order.map((id, place) => [id, place]));
  // Earlier versions of the service know no order but that of arrival.
  const placeOf = ({ id, position }: Image) => position ?? places.get(id) ?? places.size;
  const images = session.images.filter(({ id }) => !removed.has(id)).sort((a, b) => placeOf(a) - placeOf(b));
  const points = saved?.points;
  const items = images.map((image) => ({
    ...itemOfImage(image, core.settings.language),
    focalPoint: points?.[image.id] ?? null,
  }));
  core.store.add(items);
  reapply(deps, saved?.edits ?? {});
  const known = new Set([...removed, ...images.map(({ id }) => id)]);
  const lost = addLost(deps, saved?.items?.filter(({ imageId }) => !imageId || !known.has(imageId)) ?? []);
  const [results] = await Promise.all([
    readResults(deps, session.jobs, { points: !points }),
    readAnalysis(core, session),
  ]);
  if (isOutdated()) return [];
  if (core.store.counts().toExport === 0) deps.exports().adopt(results);
  void join(deps, session.jobs);
  // The tab continues this session after a reload.
  if (core.config.remember) persistence.save();
  return [...items, ...lost];
}

async function readSession(
  deps: RehydrateDeps,
  sessionId: string,
  signal: AbortSignal,
): Promise<PaidWork<ImageResult, RunningExport>> {
  const { core, saver, results } = deps;
  const { store } = core;
  const { images, jobs } = await core.transport().getSession(sessionId, { signal });
  const { language } = core.settings;
  for (const { id, metadata, texts } of images) {
    const item = store.byImageId(id);
    if (item) store.patch(item.id, fromMetadata(item, metadata, { kept: saver.fieldsOf(item.id), texts, language }));
  }
  results.refresh();
  const same = jobs.filter((job) => job.kind === 'export' && results.isPresent(settingsOf(job)));
  const newest = jobs.find(({ kind }) => kind === 'export') ?? jobs[0];
  return {
    found: await readResults(deps, same, { present: true }),
    running: runningExports(same),
    state: newest?.jobId ?? '',
  };
}

/**
 * Takes over the results of ended exports and of the newest sample, and returns those of exports. Jobs are read from the
 * newest to the oldest, as long as images lack a result. `present`: only exports that equal what an export would make now; `points`: with
 * the centres of their crops.
 */
async function readResults(
  { core, results }: RehydrateDeps,
  jobs: readonly Job[],
  { present = false, points = false } = {},
): Promise<ImageResult[]> {
  const lacksResult = present ? canExport : ({ result }: Item) => !result;
  const missing = new Set(
    core.store.list().flatMap((item) => (item.imageId && lacksResult(item) ? [item.imageId] : [])),
  );
  const ended = jobs.filter((job) => !isRunning(job));
  const newestSample = ended.find(({ kind, status }) => kind === 'sample' && status !== 'failed');
  const taken: ImageResult[] = [];
  for (const job of ended) {
    const settings = settingsOf(job);
    const wanted = job.kind === 'export' ? missing.size > 0 : job === newestSample && !present;
    if (!wanted || job.status === 'failed' || (present && !results.isPresent(settings))) continue;
    const { known } = results;
    if (!known.has(job.jobId)) {
      const { results: found = [] } = await core.transport().getJob(job.jobId);
      known.set(job.jobId, found as ImageResult[]);
    }
    for (const result of known.get(job.jobId) ?? []) {
      if (result.status !== 'completed') continue;
      if (job.kind === 'sample') results.takeSample(result);
      // Files of an export replace the earlier ones of the same settings: only the newest of an image exist.
      else if (missing.delete(result.imageId) && (!present || results.isPresent(settings, result))) {
        const id = core.store.byImageId(result.imageId)?.id;
        if (id && points && result.focalPoint) core.store.patch(id, { focalPoint: result.focalPoint });
        results.takeExport(result, settings);
        taken.push(result);
      }
    }
  }
  return taken;
}

/** Returns the running exports, the oldest first: the service works on that one. */
function runningExports(jobs: readonly Job[]): RunningExport[] {
  return jobs
    .filter((job) => job.kind === 'export' && isRunning(job))
    .map((job) => ({ jobId: job.jobId, total: job.total, settings: settingsOf(job) }))
    .reverse();
}

/** Follows the running jobs. Resolves when all have ended. */
function join({ analyses, samples, exports }: RehydrateDeps, jobs: readonly Job[]): Promise<unknown> {
  const running = jobs.filter(isRunning);
  const of = (kind: Job['kind']) => running.filter((job) => job.kind === kind);
  const exported = runningExports(jobs);
  return Promise.all([
    ...of('analyze').map(({ jobId, total }) => analyses.follow(jobId, total)),
    ...of('sample').map(({ jobId, total }) => samples.follow(jobId, total)),
    ...(exported.length > 0 ? [exports().follow(exported)] : []),
  ]);
}

/** Shows the errors of an ended analysis at their images. */
async function readAnalysis(core: Core, { sessionId, analysis }: Session): Promise<void> {
  if (analysis.status === 'none' || analysis.status === 'running') return;
  const report = await core.transport().getAnalysis(sessionId);
  for (const { imageId, status, error: failure } of report.images) {
    const item = core.store.byImageId(imageId);
    if (!item) continue;
    const error = status === 'failed' ? itemError(core, failure, 'analyze', item.id) : null;
    const analyzed = item.analyzed || status === 'completed';
    core.store.patch(item.id, { analyzed, error, status: restingStatus({ ...item, error }) });
  }
}

/** Applies edits that had not reached the service, and sends them again. */
function reapply({ core: { store, settings }, saver }: RehydrateDeps, edits: SavedState['edits']): void {
  for (const [imageId, sent] of Object.entries(edits)) {
    const item = store.byImageId(imageId);
    if (!item) continue;
    const patch = shownEdits(sent, settings.language);
    const origins = Object.fromEntries(Object.keys(patch).map((field) => [field, 'user' as const]));
    const metadata: ItemMetadata = { ...item.metadata, ...patch };
    store.patch(item.id, { metadata, origins: { ...item.origins, ...origins } });
    saver.put(item.id, sent);
  }
}
