import type { ImageResult } from '#contract';
import { newIdempotencyKey } from '../../plugin-bridge/sdk/index.ts';
import { consumeStream, type JobEnd } from './consume-stream.ts';
import type { Core } from './core.ts';
import type { CostKeeper } from './cost.ts';
import { isFatal, toOptimizerError } from './errors.ts';
import { canExport, itemsOf } from './item-questions.ts';
import type { MetadataSaver } from './metadata-saver.ts';
import { outcomeOf, type Results } from './results.ts';
import type { Runs } from './runs.ts';
import type { SavedStateKeeper } from './saved-state.ts';
import type { SavedBatch } from './saved-types.ts';
import { requestSettings } from './settings.ts';
import { createTally } from './tally.ts';
import type { JobStream } from './transport.ts';
import type { ExportOutcome, Item, Settings } from './types.ts';

/** What an export works with. */
export interface ExportDeps {
  core: Core;
  runs: Runs;
  saver: MetadataSaver;
  results: Results;
  cost: CostKeeper;
  keeper: SavedStateKeeper;
  /** Takes over what the service knows of jobs, for batches whose end is not known. */
  catchUp(signal: AbortSignal): Promise<void>;
}

/** An export that runs at the service. */
export interface RunningExport {
  jobId: string;
  total: number;
  settings: Settings;
}

/** A batch's end is known once the service said so; after these errors it is not. */
const UNKNOWN_END = ['network', 'timeout', 'stream_interrupted', 'bad_response', 'aborted'];

/** Exports in batches, one after the other. A batch keeps its key until its end is known, so nothing is paid twice. */
export function createExportRun({ core, runs, saver, results, cost, keeper, catchUp }: ExportDeps) {
  const { store } = core;
  let outcome: ExportOutcome | null = null;

  /** Runs one stream to its end and puts what came of it at the items. */
  async function read(
    open: (closing: AbortSignal) => JobStream<ImageResult>,
    tally: ReturnType<typeof createTally>,
    { signal, settings, onJob }: { signal: AbortSignal; settings: Settings; onJob?: (jobId: string) => void },
  ): Promise<JobEnd<ImageResult>> {
    const touched = new Set<string>();
    try {
      const end = await consumeStream(open, {
        env: core.env,
        signal,
        onJob,
        onProgress(event) {
          const taken = tally.take(event);
          if (!taken) return;
          const { item, progress, tell } = taken;
          touched.add(item.id);
          if (!tell) return;
          const { imageId, status, step, current, total } = event;
          const { batch = 1, batches = 1, fraction: aggregate } = progress;
          core.emit('io-export-progress', {
            id: item.id,
            imageId,
            status,
            step,
            current,
            total,
            batch,
            batches,
            aggregate,
          });
        },
      });
      for (const result of end.results) results.takeExport(result, settings);
      if (end.credits) core.balance = end.credits.balance;
      return end;
    } finally {
      results.rest([...touched], 'exporting');
    }
  }

  function finish(all: readonly ImageResult[], credits: number, tally: ReturnType<typeof createTally>) {
    cost.outdate();
    if (all.length === 0) return tally.end(0, 0);
    outcome = outcomeOf(all, credits);
    const { succeeded, failed, bytesBefore, bytesAfter } = outcome;
    tally.end(succeeded, failed);
    core.emit('io-export', { results: [...all], succeeded, failed, bytesBefore, bytesAfter });
    if (failed > 0) {
      const message = core.t('notice.export_failed', { count: failed });
      core.notices.show('failed-export', { kind: 'error', message, phase: 'export', actions: ['retry'] });
    } else core.notices.drop('failed-export');
  }

  /** Batches to send: those that were sent before as they were, then the rest in pieces. */
  function plan(items: readonly Item[], settings: Settings): SavedBatch[] {
    const left = new Map(items.flatMap((item) => (item.imageId ? [[item.imageId, item] as const] : [])));
    const same = (batch: SavedBatch) =>
      JSON.stringify(batch.settings) === JSON.stringify(settings) && batch.imageIds.every((id) => left.has(id));
    const again = keeper.batches().filter(same);
    for (const { imageIds } of again) for (const id of imageIds) left.delete(id);
    const ids = [...left.keys()];
    const size = Math.min(99, Math.max(1, Math.trunc(core.config.batchSize) || 1));
    const fresh: SavedBatch[] = [];
    for (let start = 0; start < ids.length; start += size) {
      fresh.push({ key: newIdempotencyKey(), imageIds: ids.slice(start, start + size), settings, jobId: null });
    }
    return [...again, ...fresh];
  }

  const forget = ({ key }: SavedBatch) => keeper.setBatches(keeper.batches().filter((batch) => batch.key !== key));
  const keep = (batch: SavedBatch) =>
    keeper.setBatches([...keeper.batches().filter(({ key }) => key !== batch.key), batch]);

  async function runBatches(batches: readonly SavedBatch[], sessionId: string, signal: AbortSignal) {
    const total = batches.reduce((sum, { imageIds }) => sum + imageIds.length, 0);
    const tally = createTally(core, runs, { phase: 'export', status: 'exporting', total });
    const all: ImageResult[] = [];
    let credits = 0;
    core.notices.drop('error-export');
    for (const [index, batch] of batches.entries()) {
      if (signal.aborted) break;
      tally.setBatch(index, batches.length);
      const items = batch.imageIds.flatMap((id) => store.byImageId(id) ?? []);
      for (const { id } of items) store.patch(id, { status: 'exporting', step: 'queued', progress: 0, error: null });
      keep(batch);
      results.begin(items, batch.settings);
      try {
        const { key, imageIds, settings } = batch;
        const body = { images: imageIds.map((id) => ({ id })), settings };
        const open = (closing: AbortSignal) =>
          core.transport().exportImages(sessionId, body, { idempotencyKey: key, signal: closing });
        const end = await read(open, tally, { signal, settings, onJob: (jobId) => keep({ ...batch, jobId }) });
        forget(batch);
        all.push(...end.results);
        credits += end.credits ? end.credits.charged - end.credits.refunded : 0;
        // Every image failed, or the job could not go on: the next batch may do better, unless the job was stopped.
        if (end.error && end.results.length === 0 && end.error.code !== 'job_cancelled') {
          runs.fail(end.error, 'export', ['retry']);
          break;
        }
      } catch (cause) {
        stopAt(batch, items, cause, signal);
        break;
      } finally {
        results.rest(
          items.map(({ id }) => id),
          'exporting',
        );
      }
    }
    finish(all, credits, tally);
    return all.length > 0 ? outcome : null;
  }

  /** A batch did not come to its end: says why, and what is known of its images. */
  function stopAt(batch: SavedBatch, items: readonly Item[], cause: unknown, signal: AbortSignal) {
    const error = toOptimizerError(
      cause,
      core.t,
      items.map(({ id }) => id),
    );
    if (!UNKNOWN_END.includes(error.code)) forget(batch);
    if (error.code === 'aborted' || signal.aborted) return;
    if (error.code === 'insufficient_credits') {
      const some = (error.balance ?? 0) > 0;
      runs.fail(cause, 'export', some ? ['export-first', 'check-cost'] : ['check-cost']);
      cost.outdate(error);
      return;
    }
    // What is gone is not there at the next try either.
    runs.fail(cause, 'export', error.code === 'not_found' ? [] : ['retry']);
    if (isFatal(error.code)) return;
    for (const { id } of items) store.patch(id, { status: 'failed', error: { ...error, ids: [id], phase: 'export' } });
  }

  async function exportNow(ids: readonly string[] | undefined, { first }: { first?: number }, signal: AbortSignal) {
    const { sessionId } = core;
    if (!sessionId) return null;
    if (keeper.batches().length > 0) {
      try {
        await catchUp(signal);
      } catch (cause) {
        runs.fail(cause, 'export', ['retry']);
        return null;
      }
    }
    // What has its files already is not paid for again.
    const items = itemsOf(store, ids).filter(canExport).slice(0, first);
    if (items.length === 0 || !(await saver.flush()) || signal.aborted) return null;
    const settings = requestSettings(core.settings);
    const batches = plan(items, settings);
    const price = cost.cost?.images === items.length ? cost.cost.cost : null;
    const detail = { images: items, settings, cost: price, batches: batches.length };
    if (!core.emit('io-before-export', detail)) return null;
    return runBatches(batches, sessionId, signal);
  }

  async function followNow(jobs: readonly RunningExport[], signal: AbortSignal) {
    const total = jobs.reduce((sum, job) => sum + job.total, 0);
    const tally = createTally(core, runs, { phase: 'export', status: 'exporting', total });
    const all: ImageResult[] = [];
    let credits = 0;
    try {
      for (const { jobId, settings } of jobs) {
        const open = (closing: AbortSignal) =>
          core.transport().followJob(jobId, { signal: closing }) as JobStream<ImageResult>;
        const end = await read(open, tally, { signal, settings });
        keeper.setBatches(keeper.batches().filter((batch) => batch.jobId !== jobId));
        all.push(...end.results);
        credits += end.credits ? end.credits.charged - end.credits.refunded : 0;
      }
    } catch (cause) {
      runs.fail(cause, 'export', ['retry']);
    }
    finish(all, credits, tally);
  }

  return {
    get outcome() {
      return outcome;
    },
    /** A change makes the last outcome a thing of the past. */
    forgetOutcome() {
      outcome = null;
    },
    exportImages(ids?: readonly string[], options: { first?: number } = {}): Promise<ExportOutcome | null> {
      // What is to be exported is decided when its turn has come: a second call finds what the first has exported.
      return runs.start('exporting', (signal) => exportNow(ids, options, signal));
    },
    followNow,
    /** Joins exports that run at the service. */
    follow: (jobs: readonly RunningExport[]) => runs.start('exporting', (signal) => followNow(jobs, signal)),
  };
}

/** Exports. */
export type ExportRun = ReturnType<typeof createExportRun>;
