import type { ImageResult } from '#contract';
import { exportOnce, type JobEnd, type PaidWork } from '../../../plugin-bridge/batch/index.ts';
import type { Core } from '../core.ts';
import { isFatal, toOptimizerError } from '../errors.ts';
import { canExport, itemsOf, orderOf } from '../review/item-questions.ts';
import type { MetadataSaver } from '../review/metadata-saver.ts';
import { requestSettings } from '../session/settings.ts';
import type { ExportOutcome, Item, Settings } from '../types.ts';
import type { CostCheck } from './cost.ts';
import { type OpenStream, readRunJob } from './read-run-job.ts';
import { outcomeOf, type Results, restItems } from './results.ts';
import { createRunProgress, type RunProgress } from './run-progress.ts';
import type { Runs } from './runs.ts';

/** Dependencies of exports. */
export interface ExportDeps {
  core: Core;
  runs: Runs;
  saver: MetadataSaver;
  results: Results;
  cost: CostCheck;
  /** Reads the session at the service and takes over results an export would make in the same way. */
  readSession(sessionId: string, signal: AbortSignal): Promise<PaidWork<ImageResult, RunningExport>>;
}

/** An export in progress at the service. */
export interface RunningExport {
  jobId: string;
  total: number;
  settings: Settings;
}

/** A run of one or several export jobs. */
interface Run extends ExportDeps {
  signal: AbortSignal;
  progress: RunProgress;
  /** That of its start. */
  epoch: number;
  /** Results of all its jobs. */
  all: ImageResult[];
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
    /** Takes over results that were found at the service. */
    adopt(results: readonly ImageResult[]) {
      if (results.length > 0) outcome = outcomeOf(results);
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
  return { ...deps, signal, progress, epoch: deps.core.epoch, all: [] };
}

async function exportItems(run: Run, sessionId: string, wanted: readonly Item[]): Promise<void> {
  const { core, runs, cost, readSession, signal, progress, all } = run;
  const { store, env, notices } = core;
  const settings = requestSettings(core.settings);
  const size = Math.min(99, Math.max(1, Math.trunc(core.config.batchSize) || 1));
  let items = wanted;
  notices.drop('error-export');
  notices.drop('elsewhere');
  try {
    const error = await exportOnce<Item, ImageResult, RunningExport>(
      {
        pending: (tried) =>
          wanted.flatMap(({ id }) => {
            const item = store.get(id);
            return item && canExport(item) && !tried.has(item.imageId) ? [item] : [];
          }),
        async readJournal() {
          const paid = await readSession(sessionId, signal);
          all.push(...paid.found);
          return paid;
        },
        follow: (job) => followJob(run, job),
        onShared: () => showShared(core),
        confirm(images, batches) {
          items = images;
          const price = cost.cost && cost.cost.costPerImage * images.length;
          return core.emit('io-before-export', { images: [...images], settings, cost: price, batches });
        },
        onBatch: progress.setBatch,
        send(images, { state, attempt }) {
          items = images;
          for (const { id } of items)
            store.patch(id, { status: 'exporting', step: 'queued', progress: 0, error: null });
          const body = { images: items.flatMap(orderOf), settings };
          const idempotencyKey = `${sessionId}:${state}:${attempt}`;
          const open: OpenStream<ImageResult> = (signal) =>
            core.transport().exportImages(sessionId, body, { idempotencyKey, signal });
          return readResults(run, open, settings);
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

function followJob(run: Run, { jobId, settings }: RunningExport): Promise<JobEnd<ImageResult>> {
  const open = (closing: AbortSignal) => run.core.transport().followJob(jobId, { signal: closing });
  return readResults(run, open as OpenStream<ImageResult>, settings);
}

/** Reads a job to its end and puts its results into the items. */
async function readResults(run: Run, open: OpenStream<ImageResult>, settings: Settings): Promise<JobEnd<ImageResult>> {
  const { core, results, progress, signal, all } = run;
  const end = await readRunJob(core, open, signal, (event) => {
    const taken = progress.take(event);
    if (!taken?.emits) return;
    const { id } = taken.item;
    const { imageId, status, step, current, total } = event;
    const { batch = 1, batches = 1, fraction: aggregate } = taken.progress;
    core.emit('io-export-progress', { id, imageId, status, step, current, total, batch, batches, aggregate });
  });
  results.known.set(end.jobId, end.results);
  for (const result of end.results) results.takeExport(result, settings);
  all.push(...end.results);
  if (end.credits) core.balance = end.credits.balance;
  restItems(core, 'exporting');
  return end;
}

/** Reports the outcome of a run. Null: it has no results, or its images are no longer shown. */
function endRun({ core, cost, progress, epoch, all }: Run): ExportOutcome | null {
  restItems(core, 'exporting');
  cost.outdate();
  if (core.epoch !== epoch) return null;
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
function fail({ core, runs, cost }: Run, items: readonly Item[], cause: unknown): void {
  const ids = items.map(({ id }) => id);
  const error = toOptimizerError(cause, core.t, ids);
  if (error.code === 'aborted') return;
  if (error.code === 'insufficient_credits') {
    const some = (error.balance ?? 0) > 0;
    runs.fail(cause, 'export', some ? ['export-first', 'check-cost'] : ['check-cost'], ids);
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
