import type { Metadata, Settings } from '#contract';
import { emptyMetadataValues } from '#contract/constants';
import type { CmsHost, HostImage } from './cms-host.ts';
import type { HostElement, HostItem, ReplaceDetail } from './host-element.ts';
import { HostError, toHostError } from './host-error.ts';
import type { HostTextKey } from './host-texts.ts';
import type { InstalledCalls } from './install-calls.ts';
import type { RunRecord, RunStorage } from './journal.ts';
import { listAll } from './list-all.ts';
import { mediaOf } from './media-of.ts';
import { failed, type HostOutcome, succeeded } from './outcome.ts';
import { replaceImage } from './replace-image.ts';
import { type RunProgress, runImages } from './run-images.ts';
import { withRunLock } from './run-lock.ts';
import type { DecodeImage } from './verify-download.ts';

/** State of a connection of a CMS and an element. */
export interface Connected {
  element: HostElement;
  host: CmsHost;
  text: (key: HostTextKey) => string;
  calls: InstalledCalls;
  journal: RunStorage;
  rehydrate: (record: RunRecord) => Promise<void>;
  batchSize: number;
  allowLarger: boolean;
  decode: DecodeImage;
  onProgress: ((progress: RunProgress) => void) | undefined;
  onOutcome: ((outcome: HostOutcome) => void) | undefined;
  /** Stops the operation in progress. */
  controller: AbortController;
  /** Outcomes of replacements the element asked for, by item, for the run that waits for them. */
  outcomes: Map<string, HostOutcome>;
}

/** Adds images to the element. Returns the outcomes of rejected ones. */
export async function addImages(connected: Connected, ids: readonly string[]): Promise<HostOutcome[]> {
  const signal = begin(connected);
  const problems: HostOutcome[] = [];
  const images = await listAll(connected.host, ids);
  for (const id of ids) {
    const image = images.get(id) ?? null;
    if (signal.aborted) break;
    try {
      await addImage(connected, image, signal);
    } catch (error) {
      problems.push(failed(error, image ?? { id, filename: id }, connected.text));
    }
  }
  return problems;
}

async function addImage(connected: Connected, image: HostImage | null, signal: AbortSignal): Promise<void> {
  const { element, host, text, calls } = connected;
  if (!image) throw new HostError('not_found', text('host.not_found'));
  const { id } = image;
  if (image.status === 'unavailable') throw new HostError('unsupported', image.reason ?? text('host.unsupported'));
  const present = element.items.find((item) => item.clientRef === id);
  // An image that was left out of a request is added again, with its current bytes.
  if (present && !calls.refusalOf?.(present)) return;
  const fetchChecked = async () => {
    await host.check?.(id, { signal });
    return mediaOf(host, image, signal);
  };
  const media = await fetchChecked().catch((error: unknown) => {
    throw toHostError(error);
  });
  if (present) element.remove(present.id);
  const { added, rejections } = await element.addItems([media]);
  if (added.length === 0) throw new HostError('unsupported', rejections[0]?.message ?? text('host.unsupported'));
}

/** Replaces each exported image of the element that is not replaced yet. */
export async function replaceAll(connected: Connected): Promise<HostOutcome[]> {
  const signal = begin(connected);
  const done: HostOutcome[] = [];
  for (const item of connected.element.items) {
    if (signal.aborted) break;
    if (item.clientRef && item.result && item.replacement?.status !== 'replaced')
      done.push(await replaceItem(connected, item));
  }
  return done;
}

/** Puts originals back, one after the other. */
export async function restoreImages(connected: Connected, ids: readonly string[]): Promise<HostOutcome[]> {
  const { host, text } = connected;
  const signal = begin(connected);
  const images = await listAll(host, ids);
  const done: HostOutcome[] = [];
  for (const id of ids) {
    if (signal.aborted) break;
    const image = images.get(id) ?? { id, filename: id };
    try {
      const { url, restored } = await host.restore(id, { signal });
      done.push(succeeded(restored ? 'restored' : 'skipped', image, { url }));
    } catch (error) {
      done.push(failed(error, image, text));
    }
  }
  return done;
}

/** Runs over images. @throws HostError `locked` */
export function startRun(connected: Connected, ids: readonly string[]): Promise<RunProgress> {
  const waiting = [...new Set(ids)];
  const none = { outcomes: [], replaced: 0, savedBytes: 0, element: null };
  const record: RunRecord = { version: 1, waiting, inWork: 0, total: waiting.length, ...none };
  return locked(connected, (signal) => runRecord(connected, record, signal));
}

/** Resumes the recorded run; null if there is none. @throws HostError */
export async function resumeRun(connected: Connected): Promise<RunProgress | null> {
  const { journal, rehydrate } = connected;
  if (!journal.load()?.waiting.length) return null;
  return locked(connected, async (signal) => {
    // Another tab may have resumed and finished it meanwhile.
    const record = journal.load();
    if (!record?.waiting.length) return null;
    await rehydrate(record);
    return runRecord(connected, record, signal);
  });
}

/** Replaces an image by the result of the element. @throws HostError */
export async function replaceResult(
  connected: Connected,
  detail: Pick<ReplaceDetail, 'id' | 'clientRef' | 'result'>,
): Promise<void> {
  const { element, host, text, calls, decode, allowLarger } = connected;
  const item = element.items.find(({ id }) => id === detail.id);
  const image = { id: detail.clientRef ?? '', filename: detail.result.originalFilename };
  let outcome: HostOutcome;
  try {
    if (!detail.clientRef) throw new HostError('not_found', text('host.not_found'));
    const { sessionId } = element;
    const exported = {
      id: detail.clientRef,
      result: detail.result,
      metadata: item ? metadataOf(item) : null,
      sessionId,
    };
    const { url } = await replaceImage(
      { ...exported, settings: element.settings as Settings },
      { host, download: calls.download, decode, text },
      { signal: connected.controller.signal, allowLarger },
    );
    outcome = succeeded('replaced', image, { url, savedBytes: detail.result.savedBytes });
  } catch (error) {
    outcome = failed(error, image, text);
  }
  connected.outcomes.set(detail.id, outcome);
  connected.onOutcome?.(outcome);
  if (outcome.code) throw new HostError(outcome.code, outcome.message ?? '');
}

async function replaceItem(connected: Connected, item: HostItem): Promise<HostOutcome> {
  const { element, outcomes, text } = connected;
  outcomes.delete(item.id);
  const { result } = item;
  // An element offers no replacement by a result without files.
  const isWithoutFiles = result?.status === 'completed' && result.variants.length === 0;
  await (isWithoutFiles ? replaceResult(connected, { ...item, result }) : element.replace(item.id)).catch(() => {});
  const image = { id: item.clientRef ?? '', filename: item.name };
  return outcomes.get(item.id) ?? failed(new HostError('failed', text('host.failed')), image, text);
}

/** Starts an operation that `stop()` ends. */
function begin(connected: Connected): AbortSignal {
  connected.controller = new AbortController();
  return connected.controller.signal;
}

/** Runs `work` while no other run of the host is in progress. @throws HostError `locked` */
function locked<Result>(connected: Connected, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { host, text, element } = connected;
  return withRunLock(host.id, text('host.locked'), () => {
    const signal = begin(connected);
    // Ends an upload or export at once, but not an image that is being written.
    signal.addEventListener('abort', () => element.cancel());
    return work(signal);
  });
}

function runRecord(connected: Connected, record: RunRecord, signal: AbortSignal): Promise<RunProgress> {
  const { element, host, journal, text, batchSize, calls, onProgress } = connected;
  const deps = {
    ...{ element, host, journal, text, batchSize, refusalOf: calls.refusalOf },
    replaceItem: (item: HostItem) => replaceItem(connected, item),
    onProgress: (progress: RunProgress) => onProgress?.(progress),
  };
  return runImages(record, deps, signal);
}

/** Returns an item's metadata as the service stores it. Texts of the CMS have no source. */
function metadataOf(item: HostItem): Metadata {
  const source: Metadata['source'] = {};
  for (const [field, origin] of Object.entries(item.origins)) if (origin && origin !== 'cms') source[field] = origin;
  const { filename, title, alt, decorative } = item.metadata;
  const known = { filename, title, alt, decorative, source, needsReview: [...item.needsReview], model: null };
  return { ...emptyMetadataValues(), ...known };
}
