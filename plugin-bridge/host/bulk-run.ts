import type { CmsHost, HostImage } from './cms-host.ts';
import type { HostElement, HostItem } from './host-element.ts';
import { HostError, type HostErrorCode } from './host-error.ts';
import type { HostTextKey } from './host-texts.ts';
import type { Journal, RunRecord } from './journal.ts';
import { listAll } from './list-all.ts';
import { failed, type HostOutcome, succeeded } from './outcome.ts';

/** How far a run is. */
export interface RunProgress {
  phase: 'upload' | 'export' | 'replace' | 'done' | 'stopped';
  /** Images that are through. */
  done: number;
  total: number;
  replaced: number;
  skipped: number;
  /** Also those that the next `resume()` tries again for nothing: their outcomes are `retryable`. */
  failed: number;
  savedBytes: number;
  /** Name of the image in work. */
  current: string | null;
  /** Why it stopped before its end; it can be resumed. */
  reason: HostError | null;
  /** Of images that were not simply replaced. */
  outcomes: readonly HostOutcome[];
}

/** What a run needs. */
export interface RunDependencies {
  element: HostElement;
  host: CmsHost;
  journal: Journal;
  /** Replaces the image of an item that has a result. */
  replaceItem: (item: HostItem) => Promise<HostOutcome>;
  /** Why an image was left out of the export. */
  refusalOf?: ((item: HostItem) => HostError | null) | undefined;
  text: (key: HostTextKey) => string;
  batchSize: number;
  onProgress: (progress: RunProgress) => void;
}

/** Errors of the element after which the next image would fail as well: the run waits for a person. */
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

/** What a host says that is no single image's fault: nothing is given up, the run waits for a person. */
const ENDS_RUN: readonly (HostErrorCode | null)[] = ['expired', 'no_space', 'stopped'];

/** Images in a row that could not be replaced, though trying again can help: then it is not the images. */
const MOST_IN_A_ROW = 2;

/**
 * Works through a record batch by batch: fetch, upload, export, replace. After every step the record is kept, so that a
 * page opened later goes on where this one was closed, and nothing is paid for twice. An image whose paid result could
 * not be put in its place waits with it at the end of the record, for the next resume.
 */
export async function runBatches(
  record: RunRecord,
  { element, host, journal, replaceItem, refusalOf, text, batchSize, onProgress }: RunDependencies,
  signal: AbortSignal,
): Promise<RunProgress> {
  let phase: RunProgress['phase'] = 'upload';
  let current: string | null = null;
  let reason: HostError | null = null;
  /** Images that wait for the next resume, by id, and why. */
  const later = new Map<string, HostOutcome>();
  let inARow = 0;
  const noticeFatal = (event: Event) => {
    const { error, phase } = (event as CustomEvent<{ error: { code: string; message: string }; phase: string }>).detail;
    // What became of a replacement, its outcome tells.
    if (phase !== 'replace' && FATAL.includes(error.code)) reason ??= new HostError('failed', error.message);
  };

  function report(): RunProgress {
    const { replaced, savedBytes, total } = record;
    const outcomes = [...record.outcomes, ...later.values()];
    const count = (status: HostOutcome['status']) => outcomes.filter((outcome) => outcome.status === status).length;
    const tally = { replaced, skipped: count('skipped'), failed: count('failed'), savedBytes };
    return { phase, done: total - record.waiting.length, total, ...tally, current, reason, outcomes };
  }

  const itemOf = (id: string) => element.items.find((item) => item.clientRef === id);
  const goesOn = () => !reason && !signal.aborted;

  function keep(): void {
    record.inWork = record.waiting.filter((id) => itemOf(id)?.imageId).length;
    record.element = element.getState();
    journal.save(record);
    onProgress(report());
  }

  function enter(next: RunProgress['phase'], name: string | null = null): void {
    [phase, current] = [next, name];
    onProgress(report());
  }

  function settle(outcome: HostOutcome): void {
    inARow = 0;
    record.waiting = record.waiting.filter((id) => id !== outcome.id);
    if (outcome.status === 'replaced') {
      record.replaced += 1;
      record.savedBytes += outcome.savedBytes;
    } else record.outcomes.push(outcome);
    keep();
  }

  function stopFor({ code, message }: HostOutcome): void {
    reason ??= new HostError(code ?? 'failed', message ?? text('host.failed'));
  }

  /** Keeps an image and its paid result for another time. Tells whether the next image is worth a try. */
  function putOff(outcome: HostOutcome): boolean {
    const { id, code } = outcome;
    inARow += 1;
    const ends = ENDS_RUN.includes(code);
    if (ends || inARow >= MOST_IN_A_ROW) stopFor(outcome);
    if (!ends) {
      later.set(id, outcome);
      // It stands in nobody's way: the others come first, now and after a resume.
      record.waiting = [...record.waiting.filter((other) => other !== id), id];
    }
    keep();
    return !ends && inARow < MOST_IN_A_ROW;
  }

  async function addImage(image: HostImage): Promise<void> {
    enter('upload', image.filename);
    const { id, filename, title, alt } = image;
    try {
      await host.check?.(id, { signal });
      const blob = await host.fetch(id, { signal });
      const { added, rejections } = await element.addItems([{ id, blob, name: filename, title, alt }]);
      if (added.length === 0) throw new HostError('unsupported', rejections[0]?.message ?? text('host.unsupported'));
    } catch (error) {
      if (signal.aborted) return;
      const outcome = failed(error, image, text);
      if (ENDS_RUN.includes(outcome.code)) stopFor(outcome);
      else settle(outcome);
    }
  }

  async function runBatch(ids: readonly string[]): Promise<void> {
    const images = await listAll(host, ids);
    for (const id of ids) {
      const image = images.get(id);
      if (!image) settle(failed(new HostError('not_found', text('host.not_found')), { id, filename: id }, text));
      else if (image.status === 'unavailable') {
        settle(failed(new HostError('unsupported', image.reason ?? text('host.unsupported')), image, text));
      } else if (image.status === 'replaced') {
        settle(succeeded('skipped', image, { message: text('host.already_replaced'), url: image.url }));
      } else if (!itemOf(id) && goesOn()) await addImage(image);
      if (!goesOn()) return;
    }
    const items = () => ids.flatMap((id) => (record.waiting.includes(id) ? (itemOf(id) ?? []) : []));
    await element.upload();
    keep();
    if (!goesOn()) return;

    const toExport = items().filter((item) => item.imageId && !(item.result && !item.stale));
    enter('export');
    // An export under way is in the record as soon as the service works on it.
    element.addEventListener('io-export-progress', keep, { once: true });
    if (toExport.length > 0) await element.export(toExport.map((item) => item.id));
    keep();

    // What was exported before a stop has been paid for: it is replaced, unless a person stopped the run.
    for (const item of items()) {
      if (signal.aborted) return;
      const image = { id: item.clientRef ?? item.id, filename: item.name };
      if (item.result) {
        enter('replace', item.name);
        const outcome = await replaceItem(item);
        if (!isPassing(outcome)) settle(outcome);
        else if (!putOff(outcome)) return;
      } else if (goesOn()) {
        const problem = new HostError('not_exported', item.error?.message ?? text('host.not_exported'));
        settle(failed(refusalOf?.(item) ?? problem, image, text));
      }
      if (!record.waiting.includes(image.id)) element.remove(item.id);
    }
  }

  element.addEventListener('io-error', noticeFatal);
  try {
    const due = () => record.waiting.filter((id) => !later.has(id)).slice(0, batchSize);
    while (due().length > 0 && goesOn()) await runBatch(due());
    for (const outcome of later.values()) stopFor(outcome);
  } catch (error) {
    reason ??= error instanceof HostError ? error : new HostError('failed', String((error as Error)?.message ?? error));
  } finally {
    element.removeEventListener('io-error', noticeFatal);
    element.removeEventListener('io-export-progress', keep);
  }
  if (signal.aborted) reason = new HostError('stopped', text('host.stopped'));
  if (record.waiting.length === 0) journal.clear();
  else keep();
  enter(record.waiting.length === 0 ? 'done' : 'stopped');
  return report();
}

/** Whether a result that could not be put in an image's place is worth keeping. */
function isPassing({ status, code, retryable }: HostOutcome): boolean {
  return status === 'failed' && retryable && code !== 'not_exported';
}
