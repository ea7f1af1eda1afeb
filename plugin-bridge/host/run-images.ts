import { type BatchPorts, createBatchRun, makeBatch, type Uploaded } from '../batch/index.ts';
import type { CmsHost, HostImage } from './cms-host.ts';
import type { HostElement, HostItem } from './host-element.ts';
import { HostError, type HostErrorCode } from './host-error.ts';
import type { HostTextKey } from './host-texts.ts';
import type { RunRecord, RunStorage } from './journal.ts';
import { listAll } from './list-all.ts';
import { mediaOf } from './media-of.ts';
import { failed, type HostOutcome, succeeded } from './outcome.ts';

/** Progress of a run. */
export interface RunProgress {
  phase: 'upload' | 'export' | 'replace' | 'done' | 'stopped';
  /** Images with a final outcome. */
  done: number;
  total: number;
  replaced: number;
  skipped: number;
  /** Includes images that the next `resume()` tries again without paying: their outcomes are `retryable`. */
  failed: number;
  savedBytes: number;
  /** Name of the image in progress. */
  current: string | null;
  /** Reason the run stopped early; it can be resumed. */
  reason: HostError | null;
  /** Outcomes of images that were not simply replaced. */
  outcomes: readonly HostOutcome[];
}

/** Dependencies of a run. */
export interface RunDependencies {
  element: HostElement;
  host: CmsHost;
  journal: RunStorage;
  /** Replaces the image of an item that has a result. */
  replaceItem: (item: HostItem) => Promise<HostOutcome>;
  /** Reason an image was left out of the export. */
  refusalOf?: ((item: HostItem) => HostError | null) | undefined;
  text: (key: HostTextKey) => string;
  batchSize: number;
  onProgress: (progress: RunProgress) => void;
}

/** Errors of the element that the next image would meet as well: the run stops and can be resumed. */
const FATAL = [
  'unauthorized',
  'insufficient_credits',
  'key_inactive',
  'throttled',
  'network',
  'timeout',
  'stalled',
  'stream_interrupted',
  'bad_response',
  'server',
];

/** Errors of a host that the next image would meet as well: the run stops and can be resumed. */
const ENDS_RUN: readonly (HostErrorCode | null)[] = ['expired', 'no_space', 'stopped'];

interface HostRun {
  record: RunRecord;
  deps: RunDependencies;
  signal: AbortSignal;
  phase: RunProgress['phase'];
  current: string | null;
  reason: HostError | null;
  /** Outcomes of images put off to the next resume, by id. */
  later: Map<string, HostOutcome>;
}

/**
 * Uploads, exports and replaces the images of a record, batch by batch. The record is stored after every step, so that
 * another page can resume the run without paying twice. An image whose paid result could not be put in its place moves to
 * the end of the record, for the next resume.
 */
export async function runImages(record: RunRecord, deps: RunDependencies, signal: AbortSignal): Promise<RunProgress> {
  const { element, journal, text, batchSize } = deps;
  const run: HostRun = { record, deps, signal, phase: 'upload', current: null, reason: null, later: new Map() };
  const onError = (event: Event) => noticeError(run, event);
  element.addEventListener('io-error', onError);
  try {
    const batches = createBatchRun(portsOf(run));
    const due = () => record.waiting.filter((id) => !run.later.has(id)).slice(0, batchSize);
    while (due().length > 0 && isRunning(run)) await makeBatch(batches, due());
    for (const outcome of run.later.values()) stopFor(run, outcome);
  } catch (error) {
    const message = String((error as Error)?.message ?? error);
    run.reason ??= error instanceof HostError ? error : new HostError('failed', message);
  } finally {
    element.removeEventListener('io-error', onError);
  }
  if (signal.aborted) run.reason = new HostError('stopped', text('host.stopped'));
  if (record.waiting.length === 0) journal.clear();
  else save(run);
  enter(run, record.waiting.length === 0 ? 'done' : 'stopped');
  return progressOf(run);
}

function portsOf(run: HostRun): BatchPorts<string, readonly string[], string, HostOutcome> {
  return {
    journal: {
      begin: () => save(run),
      exported: () => save(run),
      delivering: (id) => recordIntent(run, id),
      settle: (outcome) => settle(run, outcome),
      putOff(outcome, effect, stops) {
        clearIntent(run, outcome);
        if (stops) stopFor(run, outcome);
        if (effect === 'later') putOff(run, outcome);
        save(run);
      },
    },
    upload: (ids, settled) => uploadImages(run, ids, settled),
    export: (ids) => exportImages(run, ids),
    deliver: (id) => replaceImage(run, id),
    effectOf({ status, code, retryable }) {
      if (status !== 'failed' || !retryable || code === 'not_exported') return 'settled';
      return ENDS_RUN.includes(code) ? 'stops' : 'later';
    },
    isStopped: () => !isRunning(run),
    isAborted: () => run.signal.aborted,
  };
}

/** Adds the images of a batch to the element and uploads them. Null: the run has stopped. */
async function uploadImages(
  run: HostRun,
  ids: readonly string[],
  settled: (outcome: HostOutcome) => void,
): Promise<Uploaded<string, readonly string[]>> {
  const { host, element, text } = run.deps;
  const images = await listAll(host, ids);
  for (const id of ids) {
    const image = images.get(id);
    if (!image) settled(failed(new HostError('not_found', text('host.not_found')), { id, filename: id }, text));
    else if (image.status === 'unavailable') {
      settled(failed(new HostError('unsupported', image.reason ?? text('host.unsupported')), image, text));
    } else if (image.status === 'replaced') {
      const outcome = replacedOutcome(run, image);
      if (outcome) settled(outcome);
    } else if (isRunning(run)) {
      removeUnsent(run, id);
      if (!itemOf(run, id)) await addImage(run, image, settled);
    }
    if (!isRunning(run)) return null;
  }
  await element.upload();
  return { batch: ids };
}

/**
 * Returns the outcome of an image the CMS lists as replaced. Null: a closed page may have left its replacement unfinished,
 * so the result is delivered again.
 */
function replacedOutcome(run: HostRun, image: HostImage): HostOutcome | null {
  const { record, deps } = run;
  const { url } = image;
  if (record.replacing?.id !== image.id) {
    return succeeded('skipped', image, { message: deps.text('host.already_replaced'), url });
  }
  // Without its result, which the service no longer has, only the word of the CMS is left.
  const item = itemOf(run, image.id);
  return item?.result ? null : succeeded('replaced', image, { url, savedBytes: record.replacing.savedBytes });
}

/** Removes an image whose upload has failed, so that it is added again. */
function removeUnsent(run: HostRun, id: string): void {
  const item = itemOf(run, id);
  if (item?.status === 'failed' && !item.imageId) run.deps.element.remove(item.id);
}

async function addImage(run: HostRun, image: HostImage, settled: (outcome: HostOutcome) => void): Promise<void> {
  const { signal } = run;
  const { host, element, text } = run.deps;
  enter(run, 'upload', image.filename);
  const { id } = image;
  try {
    await host.check?.(id, { signal });
    const { added, rejections } = await element.addItems([await mediaOf(host, image, signal)]);
    if (added.length === 0) throw new HostError('unsupported', rejections[0]?.message ?? text('host.unsupported'));
  } catch (error) {
    if (signal.aborted) return;
    const outcome = failed(error, image, text);
    if (ENDS_RUN.includes(outcome.code)) stopFor(run, outcome);
    else settled(outcome);
  }
}

/** Exports the uploaded images of a batch that lack a result. */
async function exportImages(run: HostRun, ids: readonly string[]): Promise<string[]> {
  const { record, deps } = run;
  const isHere = (id: string) => record.waiting.includes(id) && itemOf(run, id) !== undefined;
  const items = ids.filter(isHere).flatMap((id) => itemOf(run, id) ?? []);
  const toExport = items.filter(({ imageId, result, stale }) => imageId && !(result && !stale));
  enter(run, 'export');
  // The state of the element contains an export once the service works on it.
  const onProgress = () => save(run);
  deps.element.addEventListener('io-export-progress', onProgress, { once: true });
  try {
    if (toExport.length > 0) await deps.element.export(toExport.map(({ id }) => id));
  } finally {
    deps.element.removeEventListener('io-export-progress', onProgress);
  }
  return ids.filter(isHere);
}

/** Replaces an exported image. Null: it has no result and the run has stopped. */
async function replaceImage(run: HostRun, id: string): Promise<HostOutcome | null> {
  const { replaceItem, refusalOf, text } = run.deps;
  const item = itemOf(run, id);
  if (item?.result) {
    enter(run, 'replace', item.name);
    return replaceItem(item);
  }
  if (!item || !isRunning(run)) return null;
  const problem = new HostError('not_exported', item.error?.message ?? text('host.not_exported'));
  return failed(refusalOf?.(item) ?? problem, { id, filename: item.name }, text);
}

/** Records a replacement that begins. */
function recordIntent(run: HostRun, id: string): void {
  const result = itemOf(run, id)?.result;
  if (!result) return;
  run.record.replacing = { id, savedBytes: result.savedBytes };
  save(run);
}

function clearIntent({ record }: HostRun, { id }: HostOutcome): void {
  if (record.replacing?.id === id) record.replacing = null;
}

function settle(run: HostRun, outcome: HostOutcome): void {
  const { record, deps } = run;
  clearIntent(run, outcome);
  record.waiting = record.waiting.filter((id) => id !== outcome.id);
  if (outcome.status === 'replaced') {
    record.replaced += 1;
    record.savedBytes += outcome.savedBytes;
  } else record.outcomes.push(outcome);
  save(run);
  const item = itemOf(run, outcome.id);
  if (item) deps.element.remove(item.id);
}

/** Moves an image behind the others, in this run and after a resume. */
function putOff({ record, later }: HostRun, outcome: HostOutcome): void {
  later.set(outcome.id, outcome);
  record.waiting = [...record.waiting.filter((other) => other !== outcome.id), outcome.id];
}

function save(run: HostRun): void {
  const { record, deps } = run;
  record.inWork = record.waiting.filter((id) => itemOf(run, id)?.imageId).length;
  record.element = deps.element.getState();
  deps.journal.save(record);
  deps.onProgress(progressOf(run));
}

function enter(run: HostRun, phase: RunProgress['phase'], current: string | null = null): void {
  Object.assign(run, { phase, current });
  run.deps.onProgress(progressOf(run));
}

function progressOf({ record, later, phase, current, reason }: HostRun): RunProgress {
  const { replaced, savedBytes, total } = record;
  const outcomes = [...record.outcomes, ...later.values()];
  const count = (status: HostOutcome['status']) => outcomes.filter((outcome) => outcome.status === status).length;
  const counts = { replaced, skipped: count('skipped'), failed: count('failed'), savedBytes };
  return { phase, done: total - record.waiting.length, total, ...counts, current, reason, outcomes };
}

function noticeError(run: HostRun, event: Event): void {
  const { error, phase } = (event as CustomEvent<{ error: { code: string; message: string }; phase: string }>).detail;
  // The outcome of a replacement has its own error.
  if (phase !== 'replace' && FATAL.includes(error.code)) run.reason ??= new HostError('failed', error.message);
}

function stopFor(run: HostRun, { code, message }: HostOutcome): void {
  run.reason ??= new HostError(code ?? 'failed', message ?? run.deps.text('host.failed'));
}

const itemOf = ({ deps }: HostRun, id: string) => deps.element.items.find((item) => item.clientRef === id);
const isRunning = ({ reason, signal }: HostRun) => !reason && !signal.aborted;
