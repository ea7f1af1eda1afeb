import type { ImageResult } from '#contract';
import { consumeStream } from './consume-stream.ts';
import type { Core } from './core.ts';
import type { CostKeeper } from './cost.ts';
import { failure, isFatal, toOptimizerError } from './errors.ts';
import { canExport, itemsOf } from './item-questions.ts';
import type { MetadataSaver } from './metadata-saver.ts';
import { outcomeOf, type Results } from './results.ts';
import type { Runs } from './runs.ts';
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
  /** Looks at the session at the service, and takes over what is there already of what an export would make now. */
  look(sessionId: string, signal: AbortSignal): Promise<SessionView>;
}

/** An export that runs at the service. */
export interface RunningExport {
  jobId: string;
  total: number;
  settings: Settings;
}

/** A session as it is right before an export. */
export interface SessionView {
  /** Results that were taken over. */
  found: readonly ImageResult[];
  /** Exports with the present settings, the oldest first. */
  running: readonly RunningExport[];
  /** Id of the newest export; it names this state of the session. */
  newest: string;
}

/** Another page has begun something else, and its job is to be seen after this time, in milliseconds. */
const NEXT_LOOK_MS = 1000;
/** Looks in vain until the error is told. */
const LOOKS = 5;

/**
 * Exports in batches, one after the other. What another page, or an earlier try, has asked for is not paid for again: it looks
 * at the session first, and its requests have the name of what it saw as their key, as those of any page that saw the same.
 */
export function createExportRun({ core, runs, saver, results, cost, look }: ExportDeps) {
  const { store, env, notices } = core;
  let outcome: ExportOutcome | null = null;

  /** A run of one or several jobs, whoever began them. */
  function createRun(signal: AbortSignal, total: number) {
    const tally = createTally(core, runs, { phase: 'export', status: 'exporting', total });
    const all: ImageResult[] = [];

    /** Reads a stream to its end and puts what came of it at the items. */
    async function read(open: (closing: AbortSignal) => JobStream<ImageResult>, settings: Settings) {
      const end = await consumeStream(core, open, signal, (event) => {
        const taken = tally.take(event);
        if (!taken?.tell) return;
        const { id } = taken.item;
        const { imageId, status, step, current, total } = event;
        const { batch = 1, batches = 1, fraction: aggregate } = taken.progress;
        core.emit('io-export-progress', { id, imageId, status, step, current, total, batch, batches, aggregate });
      });
      results.known.set(end.jobId, end.results);
      for (const result of end.results) results.takeExport(result, settings);
      all.push(...end.results);
      if (end.credits) core.balance = end.credits.balance;
      results.rest('exporting');
      return end;
    }

    return {
      tally,
      all,
      read,
      follow: ({ jobId, settings }: RunningExport) =>
        read((closing) => core.transport().followJob(jobId, { signal: closing }) as JobStream<ImageResult>, settings),
      /** Says what it came to. */
      end() {
        results.rest('exporting');
        cost.outdate();
        const sum = outcomeOf(all);
        const { succeeded, failed, bytesBefore, bytesAfter } = sum;
        tally.end(succeeded, failed);
        if (all.length === 0) return null;
        outcome = sum;
        core.emit('io-export', { results: all, succeeded, failed, bytesBefore, bytesAfter });
        if (failed > 0) {
          const message = () => core.t('notice.export_failed', { count: failed });
          notices.show('failed-export', { kind: 'error', message, phase: 'export', actions: ['retry'] });
        } else notices.drop('failed-export');
        return outcome;
      },
    };
  }

  /** It could not go on: says why, and what is known of the images. */
  function stopAt(items: readonly Item[], cause: unknown) {
    const ids = items.map(({ id }) => id);
    const error = toOptimizerError(cause, core.t, ids);
    if (error.code === 'aborted') return;
    if (error.code === 'insufficient_credits') {
      const some = (error.balance ?? 0) > 0;
      runs.fail(cause, 'export', some ? ['export-first', 'check-cost'] : ['check-cost']);
      cost.outdate(error);
      return;
    }
    // What is gone is not there at the next try either.
    runs.fail(cause, 'export', error.code === 'not_found' ? [] : ['retry']);
    if (isFatal(error.code)) return;
    for (const { id } of itemsOf(store, ids).filter(canExport)) {
      store.patch(id, {
        status: 'failed',
        error: Object.assign(toOptimizerError(cause, core.t, [id]), { phase: 'export' as const }),
      });
    }
  }

  async function exportNow(ids: readonly string[] | undefined, { first }: { first?: number }, signal: AbortSignal) {
    const { sessionId } = core;
    // What has its files already is not paid for again.
    const wanted = itemsOf(store, ids).filter(canExport).slice(0, first);
    if (!sessionId || wanted.length === 0 || !(await saver.flush()) || signal.aborted) return null;
    const settings = requestSettings(core.settings);
    const size = Math.min(99, Math.max(1, Math.trunc(core.config.batchSize) || 1));
    const run = createRun(signal, wanted.length);
    const { tally, all } = run;
    const joined = new Set<string>();
    const tried = new Set<string | null>();

    /** What has neither files nor failed in this run. */
    function left(): readonly Item[] {
      for (const { imageId } of all) tried.add(imageId);
      return wanted.flatMap(({ id }) => {
        const item = store.get(id);
        return item && canExport(item) && !tried.has(item.imageId) ? [item] : [];
      });
    }

    /** Takes over what is there and joins what runs, until nobody else is at it. Answers with what it saw last. */
    async function lookAround(): Promise<string> {
      for (;;) {
        const { found, running, newest } = await look(sessionId ?? '', signal);
        if (signal.aborted) throw failure('aborted');
        all.push(...found);
        const job = left().length > 0 && running.find(({ jobId }) => !joined.has(jobId));
        if (found.length > 0 || job) {
          const message = () => core.t('notice.elsewhere');
          notices.show('elsewhere', { kind: 'warning', message, phase: 'export' });
          core.announcer.say('elsewhere', message);
        }
        if (!job) return newest;
        joined.add(job.jobId);
        const end = await run.follow(job).catch((cause) => {
          // It was refused, for want of credits for example, and is forgotten.
          if (cause.status !== 404) throw cause;
        });
        if (end?.error?.code === 'job_cancelled') throw failure('aborted');
      }
    }

    function send(items: readonly Item[], idempotencyKey: string) {
      const images = items.flatMap(({ imageId }) => (imageId ? [{ id: imageId }] : []));
      for (const { id } of items) store.patch(id, { status: 'exporting', step: 'queued', progress: 0, error: null });
      return run.read(
        (signal) => core.transport().exportImages(sessionId ?? '', { images, settings }, { idempotencyKey, signal }),
        settings,
      );
    }

    notices.drop('error-export');
    notices.drop('elsewhere');
    let items: readonly Item[] = wanted;
    try {
      let newest = await lookAround();
      items = left();
      const price = cost.cost?.images === items.length ? cost.cost.cost : null;
      const detail = { images: [...items], settings, cost: price, batches: Math.ceil(items.length / size) };
      if (items.length > 0 && !core.emit('io-before-export', detail)) items = [];
      let looks = 0;
      for (let batch = 0; items.length > 0 && !signal.aborted; items = left()) {
        tally.setBatch(batch, batch + Math.ceil(items.length / size));
        items = items.slice(0, size);
        try {
          const { jobId, error, results: came } = await send(items, `${sessionId}:${newest}:${looks}`);
          for (const { imageId } of items) tried.add(imageId);
          // The next batch follows this one: whoever looks meanwhile sees it.
          newest = jobId || newest;
          batch += 1;
          looks = 0;
          if (error?.code === 'job_cancelled') break;
          if (!error || came.length > 0) continue;
          // Every image failed, or the job could not go on.
          runs.fail(error, 'export', ['retry']);
          break;
        } catch (cause) {
          // Another page that saw the same has sent something else.
          if ((cause as { code?: string }).code !== 'idempotency_mismatch' || looks === LOOKS) throw cause;
          await new Promise<void>((resolve) => env.setTimeout(resolve, NEXT_LOOK_MS));
          const before = newest;
          newest = await lookAround();
          looks = newest === before ? looks + 1 : 0;
        }
      }
    } catch (cause) {
      stopAt(items, cause);
    }
    return run.end();
  }

  async function followNow(jobs: readonly RunningExport[], signal: AbortSignal) {
    const images = jobs.reduce((sum, { total }) => sum + total, 0);
    const run = createRun(signal, images);
    try {
      for (const job of jobs) await run.follow(job);
    } catch (cause) {
      stopAt(
        store.list().filter(({ status }) => status === 'exporting'),
        cause,
      );
    }
    run.end();
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
    /** Joins exports that run at the service. */
    follow: (jobs: readonly RunningExport[]) => runs.start('exporting', (signal) => followNow(jobs, signal)),
  };
}

/** Exports. */
export type ExportRun = ReturnType<typeof createExportRun>;
