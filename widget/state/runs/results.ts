import type { ImageResult, RenamedFile } from '#contract';
import type { Core } from '../core.ts';
import { toOptimizerError } from '../errors.ts';
import { isExported, itemsOf } from '../review/item-questions.ts';
import { hasCrops, levelOf, PASSED_ON } from '../session/settings.ts';
import type { ExportOutcome, Item, ItemError, ItemMetadata, Phase, Settings, SizeInput } from '../types.ts';
import type { Runs } from './runs.ts';

/** Error codes of images whose job was stopped: the images have not failed. */
const STOPPED = ['job_cancelled', 'client_left'];

/** Returns the state of an item that no run is working on. */
export const restingStatus = (item: Item): Item['status'] => {
  if (item.error) return 'failed';
  if (item.imageId === null) return 'queued';
  return isExported(item) ? 'done' : 'ready';
};

/** Returns the error of one image in a job; null if the job was stopped before it. */
export function itemError(
  core: Core,
  failure: { code: string; message: string } | null,
  phase: Phase,
  id: string,
): ItemError | null {
  if (failure && STOPPED.includes(failure.code)) return null;
  const error = toOptimizerError(failure, core.t, [id]);
  // A file that cannot be read will not be read by the next try either.
  return Object.assign(error, { retryable: error.code !== 'invalid_image', phase });
}

/** Sets items that still have the status of an ended run back to their resting status. */
export function restItems({ store }: Core, status: Item['status']): void {
  for (const item of store.list()) {
    if (item.status === status) store.patch(item.id, { status: restingStatus(item), step: null, progress: 1 });
  }
}

/**
 * Reports an error that ended an analysis or a sample. After a lost connection its unfinished items have failed, so that
 * they can be retried; an error response of the service concerns the whole run.
 */
export function failRun(
  core: Core,
  runs: Pick<Runs, 'fail'>,
  status: Item['status'],
  phase: Phase,
  cause: unknown,
): void {
  const refused = (cause as { status?: number }).status;
  const { retryable } = runs.fail(cause, phase, refused ? [] : undefined);
  for (const item of refused || !retryable ? [] : core.store.list()) {
    if (item.status !== status) continue;
    const error = itemError(core, cause as Parameters<typeof itemError>[1], phase, item.id);
    core.store.patch(item.id, { status: 'failed', error });
  }
}

/**
 * Returns a key of the inputs of an export; `texts`: those of one image that its file may hold; `point`: the centre of its crops. Equal
 * keys mean equal files.
 */
function keyOf(
  settings: Settings,
  texts?: Pick<ItemMetadata, 'title' | 'alt'>,
  point: Item['focalPoint'] | undefined = null,
): string {
  const { format, preset, responsive, responsiveSizes, embedMetadata = false } = settings;
  const { onlySmaller = false } = settings;
  const sizes = responsive ? (responsiveSizes?.map(boxOf) ?? null) : [];
  const inside = embedMetadata ? [texts?.title, texts?.alt, settings.language] : [];
  const later = PASSED_ON.map((name) => name !== 'focalPoint' && settings[name]);
  const centre = hasCrops(settings) && (point ?? settings.focalPoint);
  const own = centre && [centre.x, centre.y];
  return JSON.stringify([format, preset, sizes, embedMetadata, levelOf(settings), onlySmaller, inside, own, ...later]);
}

function boxOf(size: SizeInput) {
  const { width, height = 0, fit = 'inside' } = typeof size === 'number' ? { width: size } : size;
  return [width, height, fit];
}

/** Puts results of exports and samples into their items, and marks outdated ones. */
export function createResults(core: Core) {
  const { store } = core;
  /** Keys of the inputs of each result, by item id. */
  const keys = new Map<string, string>();

  /** Key of an export with the present settings and texts. */
  const presentKey = (item?: Item) => keyOf(core.settings, item?.metadata, item?.focalPoint);
  const isStale = (item: Item) => keys.get(item.id) !== presentKey(item);

  return {
    /** Marks the results that an export with the present settings and texts would not make again. */
    refresh(ids?: readonly string[]) {
      for (const item of itemsOf(store, ids)) {
        if (!item.result) continue;
        const stale = isStale(item);
        if (stale === item.stale) continue;
        const after = { ...item, stale };
        const resting = item.status === 'done' || item.status === 'ready';
        store.patch(item.id, { stale, ...(resting ? { status: restingStatus(after) } : {}) });
      }
    },
    /** Final results of ended jobs, by job id. */
    known: new Map<string, readonly ImageResult[]>(),
    /** True if an export with these settings, or this result of it, equals what an export would make now. */
    isPresent: (settings: Settings, result?: ImageResult) =>
      keyOf(settings, result?.metadata, result?.focalPoint) === presentKey(result && store.byImageId(result.imageId)),
    /** Puts a result of an export with `settings` into its item. */
    takeExport(result: ImageResult, settings: Settings) {
      const item = store.byImageId(result.imageId);
      if (!item) return;
      if (result.status === 'failed') {
        const error = itemError(core, result.error, 'export', item.id);
        const after = { ...item, error };
        return void store.patch(item.id, { error, step: null, status: restingStatus(after) });
      }
      // A text that was edited during the export makes the result stale.
      keys.set(item.id, keyOf(settings, result.metadata ?? item.metadata, result.focalPoint));
      const after = { ...item, result, stale: false, error: null };
      const stale = isStale(after);
      const status = restingStatus({ ...after, stale });
      store.patch(item.id, { result, stale, status, error: null, step: null, progress: 1, replacement: null });
    },
    /** Takes over the names that an edited file name has given to exported files. */
    rename(id: string, files: readonly RenamedFile[]) {
      const result = store.get(id)?.result;
      const names = new Map(files.map(({ from, to }) => [from, to]));
      if (!result || names.size === 0) return;
      const addresses = new Map(files.map(({ from, to }) => [encodeURIComponent(from), encodeURIComponent(to)]));
      const variants = result.variants.map((variant) => {
        const { filename: from, url, path } = variant;
        const to = names.get(from) ?? from;
        const renamed = { filename: to, url: url.replace(encodeURIComponent(from), encodeURIComponent(to)) };
        return { ...variant, ...renamed, path: path.replace(from, to) };
      });
      const filename = names.get(result.filename ?? '') ?? result.filename;
      const html = result.html?.replace(/[^" ]+/g, (word) => addresses.get(word) ?? word);
      store.patch(id, { result: { ...result, filename, variants, html } });
    },
    takeSample(result: ImageResult) {
      const item = store.byImageId(result.imageId);
      if (!item) return;
      const error = result.status === 'failed' ? itemError(core, result.error, 'sample', item.id) : null;
      const sample = result.status === 'completed' ? result : item.sample;
      store.patch(item.id, { sample, error, step: null, progress: 1, status: restingStatus({ ...item, error }) });
    },
    forget(ids: readonly string[]) {
      for (const id of ids) keys.delete(id);
    },
  };
}

/** Results of exports and samples. */
export type Results = ReturnType<typeof createResults>;

/** Sums up the results of an export. */
export function outcomeOf(results: readonly ImageResult[]): ExportOutcome {
  const good = results.filter(({ status }) => status === 'completed');
  const sum = (of: (result: ImageResult) => number) => good.reduce((total, result) => total + of(result), 0);
  return {
    results,
    succeeded: good.length,
    failed: results.filter(({ status, error }) => status === 'failed' && !STOPPED.includes(error?.code ?? '')).length,
    bytesBefore: sum(({ original }) => original.size),
    // Without a new file of the whole image, the original stays in use.
    bytesAfter: sum(({ original, variants }) => variants.find(({ name }) => name === 'full')?.size ?? original.size),
    credits: sum(({ creditsCharged }) => creditsCharged),
  };
}
