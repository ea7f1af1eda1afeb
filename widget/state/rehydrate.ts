import type { ImageResult, Job, Session } from '#contract';
import type { AnalysisRun } from './analysis-run.ts';
import type { Core } from './core.ts';
import type { ExportRun } from './export-run.ts';
import type { MetadataSaver } from './metadata-saver.ts';
import { itemOfImage } from './new-item.ts';
import { type Results, restingStatus } from './results.ts';
import type { SampleRun } from './sample-run.ts';
import type { SavedStateKeeper } from './saved-state.ts';
import type { SavedState } from './saved-types.ts';
import { DEFAULT_SETTINGS, mergeSettings } from './settings.ts';
import type { ItemMetadata } from './types.ts';

/** What finding a session again works with. */
export interface RehydrateDeps {
  core: Core;
  saver: MetadataSaver;
  results: Results;
  keeper: SavedStateKeeper;
  exports: () => ExportRun;
  samples: SampleRun;
  analyses: AnalysisRun;
}

const isRunning = ({ status }: Job) => status === 'created' || status === 'processing';

/** Brings a session back: its images, texts and results from the server, and what only this page knew. */
export function createRehydration({ core, saver, results, keeper, exports, samples, analyses }: RehydrateDeps) {
  const { store } = core;
  const settingsOf = (job: Job) => job.settings ?? DEFAULT_SETTINGS;

  /** Results of ended exports and of the newest sample; newer ones win, so nothing older is asked for than is needed. */
  async function readResults(jobs: readonly Job[]) {
    const missing = new Set(store.list().flatMap(({ imageId, result }) => (imageId && !result ? [imageId] : [])));
    const ended = jobs.filter((job) => !isRunning(job));
    const newestSample = ended.find(({ kind, status }) => kind === 'sample' && status !== 'failed');
    for (const job of ended) {
      const wanted = job.kind === 'export' ? missing.size > 0 : job === newestSample;
      if (!wanted || job.status === 'failed') continue;
      const { results: found = [] } = await core.transport().getJob(job.jobId);
      for (const result of found as ImageResult[]) {
        if (result.status !== 'completed') continue;
        if (job.kind === 'sample') results.takeSample(result);
        else if (missing.delete(result.imageId)) results.takeExport(result, settingsOf(job));
      }
    }
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
      const saved = given ?? keeper.load(sessionId);
      core.sessionId = sessionId;
      if (saved) {
        keeper.adopt(saved);
        core.settings = mergeSettings(core.settings, saved.settings).settings;
      }
      const removed = new Set(keeper.removed());
      const places = new Map(saved?.order.map((id, place) => [id, place]));
      const placeOf = ({ id }: { id: string }) => places.get(id) ?? places.size;
      const images = session.images.filter(({ id }) => !removed.has(id)).sort((a, b) => placeOf(a) - placeOf(b));
      const items = images.map(itemOfImage);
      store.add(items);
      reapply(saved?.edits ?? {});
      await Promise.all([readAnalysis(session), readResults(session.jobs)]);
      if (isOutdated()) return [];
      // A batch whose job has ended is known to the end.
      const running = new Set(session.jobs.filter(isRunning).map(({ jobId }) => jobId));
      const isOpen = ({ jobId }: { jobId: string | null }) => jobId === null || running.has(jobId);
      keeper.setBatches(keeper.batches().filter(isOpen));
      void join(session.jobs);
      return items;
    },
    /** Learns what became of batches whose end is not known. */
    async catchUp(signal: AbortSignal) {
      const { sessionId } = core;
      if (!sessionId) return;
      const read = async () => (await core.transport().getSession(sessionId)).jobs;
      const running = runningExports(await read());
      if (running.length > 0) await exports().followNow(running, signal);
      await readResults(await read());
      const open = keeper.batches().filter(({ imageIds, jobId }) => {
        const done = imageIds.every((id) => store.byImageId(id)?.result);
        return jobId === null && !done;
      });
      keeper.setBatches(open);
    },
  };
}
