import type { ImageResult } from '#contract';
import { exportOnce, type JobEnd } from '../../plugin-bridge/batch/index.ts';
import type { Core } from './core.ts';
import type { CostKeeper } from './cost.ts';
import { isFatal, toOptimizerError } from './errors.ts';
import { canExport, itemsOf } from './item-questions.ts';
import type { MetadataSaver } from './metadata-saver.ts';
import { type OpenStream, readRunJob } from './read-run-job.ts';
import { outcomeOf, type Results } from './results.ts';
import { createRunProgress, type RunProgress } from './run-progress.ts';
import type { Runs } from './runs.ts';
import { requestSettings } from './settings.ts';
import type { ExportOutcome, Item, Settings } from './types.ts';

/** What exports need. */
export interface ExportDeps {
  core: Core;
  runs: Runs;
  saver: MetadataSaver;
  results: Results;
  cost: CostKeeper;
  /** Reads the session at the service and takes over results an export would make in the same way. */
  readSession(sessionId: string, signal: AbortSignal): Promise<SessionView>;
}

/** An export in progress at the service. */
export interface RunningExport {
  jobId: string;
  total: number;
  settings: Settings;
}

/** State of a session right before an export. */
export interface SessionView {
  /** Results that were taken over. */
  found: readonly ImageResult[];
  /** Exports in progress with the present settings, oldest first. */
  running: readonly RunningExport[];
  /** Id of the newest export; it names this state of the session. */
  newest: string;
}

/** A run of one or several export jobs. */
interface Run {
  deps: ExportDeps;
  signal: AbortSignal;
  progress: RunProgress;
  results: ImageResult[];
}

/**
 * Creates the exports of the element: batches one after the other. Results that another page or an earlier try has paid for
 * are taken over, since the session at the service is the journal of the batch engine.
 */
export function createExports(deps: ExportDeps) {
  const { runs } = deps;
  let outcome: ExportOutcome | null = null;
  const end = (run: Run) => {
    const reached = endRun(run);
    outcome = reached ?? outcome;
    return reached;
  };
  return {
    get outcome() {
      return outcome;
    },
    /** Drops the last outcome: something was changed since. */
    forgetOutcome() {
      outcome = null;
    },
    exportImages(ids?: readonly string[], { first }: { first?: number } = {}): Promise<ExportOutcome | null> {
      // Images are chosen when the run starts: a second call finds what the first has exported.
      return runs.start('exporting', async (signal) => {
        const { core, saver } = deps;
        const wanted = itemsOf(core.store, ids).filter(canExport).slice(0, first);
        if (!core.sessionId || wanted.length === 0 || !(await saver.flush()) || signal.aborted) return null;
        const run = createRun(deps, signal, wanted.length);
        await exportItems(run, core.sessionId, wanted);
        return end(run);
      });
    },
    /** Follows exports in progress at the service. */
    follow: (jobs: readonly RunningExport[]) =>
      runs.start('exporting', async (signal) => {
        const total = jobs.reduce((sum, job) => sum + job.total, 0);
        const run = createRun(deps, signal, total);
        try {
          for (const job of jobs) await followJob(run, job);
        } catch (cause) {
          const exporting = deps.core.store.list().filter(({ status }) => status === 'exporting');
          fail(run, exporting, cause);
        }
        end(run);
      }),
  };
}

/** Exports of the element. */
export type Exports = ReturnType<typeof createExports>;

function createRun(deps: ExportDeps, signal: AbortSignal, total: number): Run {
  const progress = createRunProgress(deps.core, deps.runs, { phase: 'export', status: 'exporting', total });
  return { deps, signal, progress, results: [] };
}

async function exportItems(run: Run, sessionId: string, wanted: readonly Item[]): Promise<void> {
  const { deps, signal, progress, results } = run;
  const { core, runs, cost, readSession } = deps;
  const { store, env, notices } = core;
  const settings = requestSettings(core.settings);
  const size = Math.min(99, Math.max(1, Math.trunc(core.config.batchSize) || 1));
  let items = wanted;
  notices.drop('error-export');
  notices.drop('elsewhere');
  try {
    const error = await exportOnce<Item, ImageResult>(
      {
        pending: (tried) =>
          wanted.flatMap(({ id }) => {
            const item = store.get(id);
            return item && canExport(item) && !tried.has(item.imageId) ? [item] : [];
          }),
        async readJournal() {
          const { found, running, newest } = await readSession(sessionId, signal);
          results.push(...found);
          const jobs = running.map((job) => ({ jobId: job.jobId, follow: () => followJob(run, job) }));
          return { found, running: jobs, state: newest };
        },
        onShared: () => showShared(core),
        confirm(images) {
          items = images;
          const price = cost.cost?.images === images.length ? cost.cost.cost : null;
          const batches = Math.ceil(images.length / size);
          return core.emit('io-before-export', { images: [...images], settings, cost: price, batches });
        },
        onBatch: progress.setBatch,
        send(images, { state, attempt }) {
          items = images;
          return send(run, images, { sessionId, settings, idempotencyKey: `${sessionId}:${state}:${attempt}` });
        },
        wait: (ms) => new Promise<void>((resolve) => env.setTimeout(resolve, ms)),
      },
      size,
      signal,
    );
    // Every image failed, or the job could not continue.
    if (error) runs.fail(error, 'export', ['retry']);
  } catch (cause) {
    fail(run, items, cause);
  }
}

function send(
  run: Run,
  items: readonly Item[],
  { sessionId, settings, idempotencyKey }: { sessionId: string; settings: Settings; idempotencyKey: string },
): Promise<JobEnd<ImageResult>> {
  const { core } = run.deps;
  const images = items.flatMap(({ imageId }) => (imageId ? [{ id: imageId }] : []));
  for (const { id } of items) core.store.patch(id, { status: 'exporting', step: 'queued', progress: 0, error: null });
  const open: OpenStream<ImageResult> = (closing) =>
    core.transport().exportImages(sessionId, { images, settings }, { idempotencyKey, signal: closing });
  return readResults(run, open, settings);
}

function followJob(run: Run, { jobId, settings }: RunningExport): Promise<JobEnd<ImageResult>> {
  const { core } = run.deps;
  const open = (closing: AbortSignal) => core.transport().followJob(jobId, { signal: closing });
  return readResults(run, open as OpenStream<ImageResult>, settings);
}

/** Reads a job to its end and puts its results into the items. */
async function readResults(run: Run, open: OpenStream<ImageResult>, settings: Settings): Promise<JobEnd<ImageResult>> {
  const { core, results } = run.deps;
  const end = await readRunJob(core, open, run.signal, (event) => {
    const taken = run.progress.take(event);
    if (!taken?.emits) return;
    const { id } = taken.item;
    const { imageId, status, step, current, total } = event;
    const { batch = 1, batches = 1, fraction: aggregate } = taken.progress;
    core.emit('io-export-progress', { id, imageId, status, step, current, total, batch, batches, aggregate });
  });
  results.known.set(end.jobId, end.results);
  for (const result of end.results) results.takeExport(result, settings);
  run.results.push(...end.results);
  if (end.credits) core.balance = end.credits.balance;
  results.rest('exporting');
  return end;
}

/** Reports the outcome of a run. Null: it has no results. */
function endRun({ deps, progress, results: all }: Run): ExportOutcome | null {
  const { core, results, cost } = deps;
  results.rest('exporting');
  cost.outdate();
  const outcome = outcomeOf(all);
  const { succeeded, failed, bytesBefore, bytesAfter } = outcome;
  progress.end(succeeded, failed);
  if (all.length === 0) return null;
  core.emit('io-export', { results: all, succeeded, failed, bytesBefore, bytesAfter });
  if (failed > 0) {
    const message = () => core.t('notice.export_failed', { count: failed });
    core.notices.show('failed-export', { kind: 'error', message, phase: 'export', actions: ['retry'] });
  } else core.notices.drop('failed-export');
  return outcome;
}

/** Reports an error that ended a run, and marks the images whose state is unknown as failed. */
function fail({ deps }: Run, items: readonly Item[], cause: unknown): void {
  const { core, runs, cost } = deps;
  const ids = items.map(({ id }) => id);
  const error = toOptimizerError(cause, core.t, ids);
  if (error.code === 'aborted') return;
  if (error.code === 'insufficient_credits') {
    const some = (error.balance ?? 0) > 0;
    runs.fail(cause, 'export', some ? ['export-first', 'check-cost'] : ['check-cost']);
    cost.outdate(error);
    return;
  }
  // A missing session or image is also missing in the next try.
  runs.fail(cause, 'export', error.code === 'not_found' ? [] : ['retry']);
  if (isFatal(error.code)) return;
  for (const { id } of itemsOf(core.store, ids).filter(canExport)) {
    const own = Object.assign(toOptimizerError(cause, core.t, [id]), { phase: 'export' as const });
    core.store.patch(id, { status: 'failed', error: own });
  }
}

/** Shows that another page exports the same images. */
function showShared({ t, notices, announcer }: Core): void {
  const message = () => t('notice.elsewhere');
  notices.show('elsewhere', { kind: 'warning', message, phase: 'export' });
  announcer.say('elsewhere', message);
}
