import type { ImageResult, Job, Session } from '#contract';
import type { PaidWork } from '../../../plugin-bridge/batch/index.ts';
import type { Core } from '../core.ts';
import { canExport } from '../review/item-questions.ts';
import type { MetadataSaver } from '../review/metadata-saver.ts';
import type { AnalysisRun } from '../runs/analysis-run.ts';
import type { Exports, RunningExport } from '../runs/exports.ts';
import { type Results, restingStatus } from '../runs/results.ts';
import type { SampleRun } from '../runs/sample-run.ts';
import type { Item, ItemMetadata } from '../types.ts';
import { fromMetadata, itemOfImage } from '../uploads/new-item.ts';
import type { Persistence } from './persistence.ts';
import type { SavedState } from './saved-types.ts';
import { DEFAULT_SETTINGS, mergeSettings } from './settings.ts';

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

/** Brings a session back: its images, texts and results from the server, and what only this page knew. */
export function createRehydration({ core, saver, results, persistence, exports, samples, analyses }: RehydrateDeps) {
  const { store } = core;
  const settingsOf = (job: Job) => job.settings ?? DEFAULT_SETTINGS;

  /**
   * Results of ended exports and of the newest sample; newer ones win, so nothing older is asked for than is needed.
   * `present`: those alone that an export would make just so now, for images that have none. Answers with what was taken.
   */
  async function readResults(jobs: readonly Job[], present = false): Promise<ImageResult[]> {
    const lacks = present ? canExport : ({ result }: Item) => !result;
    const missing = new Set(store.list().flatMap((item) => (item.imageId && lacks(item) ? [item.imageId] : [])));
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
        // Files of the same settings take the place of older ones: only the newest of an image are there.
        else if (missing.delete(result.imageId) && (!present || results.isPresent(settings, result))) {
          results.takeExport(result, settings);
          taken.push(result);
        }
      }
    }
    return taken;
  }

  /** The oldest first: it is the one at work. */
  const runningExports = (jobs: readonly Job[]) =>
    jobs
      .filter((job) => job.kind === 'export' && isRunning(job))
      .map((job) => ({ jobId: job.jobId, total: job.total, settings: settingsOf(job) }))
      .reverse();

  /** Joins what runs. Resolves when it has ended. */
  function join(jobs: readonly Job[]): Promise<unknown> {
    const running = jobs.filter(isRunning);
    const of = (kind: Job['kind']) => running.filter((job) => job.kind === kind);
    const exported = runningExports(jobs);
    return Promise.all([
      ...of('analyze').map(({ jobId, total }) => analyses.follow(jobId, total)),
      ...of('sample').map(({ jobId, total }) => samples.follow(jobId, total)),
      ...(exported.length > 0 ? [exports().follow(exported)] : []),
    ]);
  }

  /** Errors of an analysis that has ended stay in sight. */
  async function readAnalysis({ sessionId, analysis }: Session) {
    if (analysis.status === 'none' || analysis.status === 'running') return;
    const report = await core.transport().getAnalysis(sessionId);
    for (const { imageId, status, error: failure } of report.images) {
      const item = store.byImageId(imageId);
      if (!item) continue;
      const error = status === 'failed' ? results.errorOf(failure, 'analyze', item.id) : null;
      const analyzed = item.analyzed || status === 'completed';
      store.patch(item.id, { analyzed, error, status: restingStatus({ ...item, error }) });
    }
  }

  /** Edits that had not reached the server go on their way again. */
  function reapply(edits: SavedState['edits']) {
    for (const [imageId, patch] of Object.entries(edits)) {
      const item = store.byImageId(imageId);
      if (!item) continue;
      const origins = Object.fromEntries(Object.keys(patch).map((field) => [field, 'user' as const]));
      const metadata: ItemMetadata = { ...item.metadata, ...patch };
      store.patch(item.id, { metadata, origins: { ...item.origins, ...origins } });
      saver.put(item.id, patch);
    }
  }

  return {
    /** Reads the session and shows it; what runs is joined and goes on after this has resolved. */
    async attach(sessionId: string, given: SavedState | undefined, isOutdated: () => boolean) {
      const session = await core.transport().getSession(sessionId);
      // Another session, or none, was wanted meanwhile.
      if (isOutdated()) return [];
      const saved = given ?? persistence.load(sessionId);
      core.sessionId = sessionId;
      if (saved) {
        persistence.adopt(saved);
        core.settings = mergeSettings(core.settings, saved.settings).settings;
      }
      const removed = new Set(persistence.removed());
      const places = new Map(saved?.order.map((id, place) => [id, place]));
      const placeOf = ({ id }: { id: string }) => places.get(id) ?? places.size;
      const images = session.images.filter(({ id }) => !removed.has(id)).sort((a, b) => placeOf(a) - placeOf(b));
      const items = images.map(itemOfImage);
      store.add(items);
      reapply(saved?.edits ?? {});
      await Promise.all([readAnalysis(session), readResults(session.jobs)]);
      if (isOutdated()) return [];
      void join(session.jobs);
      return items;
    },
    /**
     * Looks at the session as it is now, before anything is paid for: takes over its texts, and the results of exports that
     * other pages have made just so meanwhile.
     */
    async readSession(sessionId: string, signal: AbortSignal): Promise<PaidWork<ImageResult, RunningExport>> {
      const { images, jobs } = await core.transport().getSession(sessionId, { signal });
      for (const { id, metadata } of images) {
        const item = store.byImageId(id);
        if (item) store.patch(item.id, fromMetadata(item, metadata, { kept: saver.fieldsOf(item.id) }));
      }
      results.refresh();
      const same = jobs.filter((job) => job.kind === 'export' && results.isPresent(settingsOf(job)));
      const newest = jobs.find(({ kind }) => kind === 'export') ?? jobs[0];
      return { found: await readResults(same, true), running: runningExports(same), state: newest?.jobId ?? '' };
    },
  };
}
