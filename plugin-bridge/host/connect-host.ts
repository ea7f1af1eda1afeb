import type { Metadata, Settings } from '#contract';
import { createClient, type HeadersSource } from '../sdk/index.ts';
import { createBringBack } from './rehydrate.ts';
import { type RunProgress, runBatches } from './bulk-run.ts';
import { checkBeforePaying, type PaidCalls } from './check-before-paying.ts';
import type { CmsHost, HostImage } from './cms-host.ts';
import type { HostElement, HostItem, ReplaceDetail } from './host-element.ts';
import { HostError, toHostError } from './host-error.ts';
import { hostTexts } from './host-texts.ts';
import { createJournal, type JournalStorage, pageStorage, type RunRecord } from './journal.ts';
import { listAll } from './list-all.ts';
import { failed, type HostOutcome, succeeded } from './outcome.ts';
import { renewingTransport } from './renewing-transport.ts';
import { replaceImage } from './replace-image.ts';
import type { ReplaceRules } from './replace-rules.ts';
import { withRunLock } from './run-lock.ts';
import { type DecodeImage, decodeInBrowser } from './verify-download.ts';

/** How a host is connected. */
export interface ConnectOptions extends ReplaceRules {
  /** Images that are uploaded, exported and replaced together in a run, 1-50. Default: 10. */
  batchSize?: number;
  /** Where the progress of a run is kept. Default: the page's `localStorage`; null: nowhere. */
  storage?: JournalStorage | null;
  /** Called as a run goes on. */
  onProgress?: (progress: RunProgress) => void;
  /** Called for each image that was replaced, in a run or by a person at the element. */
  onOutcome?: (outcome: HostOutcome) => void;
  /** How downloads are decoded to verify them. Default: by the browser. */
  decode?: DecodeImage;
}

/** A CMS and an element that work together. */
export interface HostConnection {
  readonly host: CmsHost;
  /** Puts images into the element, for a person to review, export and replace. Resolves with those that could not be added. */
  add(ids: readonly string[]): Promise<HostOutcome[]>;
  /** Replaces every image of the element that is exported and not replaced yet. */
  replaceAll(): Promise<HostOutcome[]>;
  /**
   * Optimises and replaces images without further questions, batch by batch: the cost has been shown before.
   * @throws HostError `locked` when a run is going on, here or in another tab
   */
  run(ids: readonly string[]): Promise<RunProgress>;
  /** How many images an interrupted run has left; 0: there is none. */
  readonly unfinished: number;
  /**
   * Goes on with an interrupted run, and tries images again that could not be replaced; null when there is none. What is
   * paid for is not paid again.
   * @throws HostError `locked` when a run is going on, or the element has other images; any other when its images cannot
   * be read from the service: it can be resumed later
   */
  resume(): Promise<RunProgress | null>;
  /** Forgets an interrupted run. */
  forget(): void;
  /** Stops what runs, after the image that is being written. It can be resumed. */
  stop(): void;
  /** Puts originals back, one after the other. */
  restore(ids: readonly string[]): Promise<HostOutcome[]>;
  /** Takes the listeners off the element. */
  disconnect(): void;
}

/** Makes an element work on a CMS's images: its texts, headers and settings, and what happens to its results. */
export async function connectHost(
  element: HostElement,
  host: CmsHost,
  options: ConnectOptions = {},
): Promise<HostConnection> {
  const { batchSize = 10, storage = pageStorage(), decode = decodeInBrowser, onProgress, onOutcome } = options;
  const strings = (await host.strings?.()) ?? {};
  const text = hostTexts(strings);
  const journal = createJournal(storage, host.id);
  let controller = new AbortController();

  if (host.strings) element.strings = { ...(element.strings as object), ...strings };
  if (host.headers) element.headers = () => host.headers?.() ?? {};
  const settings = await host.settings?.();
  if (settings) element.settings = settings;

  const makeClient = () =>
    createClient({
      endpoint: element.endpoint,
      ...(element.apiKey && { apiKey: element.apiKey }),
      headers: element.headers as HeadersSource,
    });
  const renew = host.renew?.bind(host);
  if (renew) element.transport = { ...renewingTransport(makeClient(), renew), ...(element.transport as object) };

  const before = element.transport;
  const checked =
    host.check &&
    checkBeforePaying({
      element,
      check: host.check.bind(host),
      calls: () => ({ ...makeClient(), ...(before as object) }) as unknown as PaidCalls,
    });
  if (checked) element.transport = { ...(before as object), ...checked.calls };
  const ours = element.transport;

  const download = (namespace: string, filename: string, signal?: AbortSignal): Promise<Blob> => {
    const calls = (element.transport ?? {}) as Partial<ReturnType<typeof makeClient>>;
    const call = calls.downloadFile ?? makeClient().downloadFile;
    return call(namespace, filename, { signal }).catch((error: unknown) => {
      const { code } = (error ?? {}) as { code?: unknown };
      // There is nothing to wait for.
      const isGone = code === 'session_not_found' || code === 'file_not_found';
      throw isGone ? new HostError('not_exported', text('host.result_gone'), { cause: error }) : error;
    });
  };

  /** Outcomes of replacements that the element asked for, by item, so that a run hears of them. */
  const outcomes = new Map<string, HostOutcome>();

  async function replaceResult(detail: ReplaceDetail): Promise<void> {
    const item = element.items.find(({ id }) => id === detail.id);
    const image = { id: detail.clientRef ?? '', filename: detail.result.originalFilename };
    let outcome: HostOutcome;
    try {
      if (!detail.clientRef) throw new HostError('not_found', text('host.not_found'));
      const exported = { id: detail.clientRef, result: detail.result, metadata: item ? metadataOf(item) : null };
      const { url } = await replaceImage(
        { ...exported, settings: element.settings as Settings },
        { host, download, decode, text },
        { signal: controller.signal, allowLarger: options.allowLarger ?? false },
      );
      outcome = succeeded('replaced', image, { url, savedBytes: detail.result.savedBytes });
    } catch (error) {
      outcome = failed(error, image, text);
    }
    outcomes.set(detail.id, outcome);
    onOutcome?.(outcome);
    if (outcome.code) throw new HostError(outcome.code, outcome.message ?? '');
  }

  const listener = (event: Event) => {
    const { detail } = event as CustomEvent<ReplaceDetail>;
    detail.waitUntil(replaceResult(detail));
  };
  element.addEventListener('io-replace', listener);

  async function replaceItem(item: HostItem): Promise<HostOutcome> {
    outcomes.delete(item.id);
    await element.replace(item.id).catch(() => {});
    const image = { id: item.clientRef ?? '', filename: item.name };
    return outcomes.get(item.id) ?? failed(new HostError('failed', text('host.failed')), image, text);
  }

  const bringBack = createBringBack(element, text);

  /** Does `work` while no other run of the host is going on; `go` works through a record. */
  function whileAlone<Result>(
    work: (go: (record: RunRecord) => Promise<RunProgress>) => Promise<Result>,
  ): Promise<Result> {
    return withRunLock(host.id, text('host.locked'), () => {
      controller = new AbortController();
      const { signal } = controller;
      // An upload or export under way ends at once; an image that is being written does not.
      signal.addEventListener('abort', () => element.cancel());
      const progress = (report: RunProgress) => onProgress?.(report);
      const refusalOf = checked?.refusalOf;
      const dependencies = { element, host, journal, replaceItem, refusalOf, text, batchSize, onProgress: progress };
      return work((record) => runBatches(record, dependencies, signal));
    });
  }

  return {
    host,
    get unfinished() {
      return journal.load()?.waiting.length ?? 0;
    },
    async add(ids) {
      controller = new AbortController();
      const { signal } = controller;
      const problems: HostOutcome[] = [];
      const images = await listAll(host, ids);
      for (const id of ids) {
        const image = images.get(id) ?? null;
        if (signal.aborted) break;
        try {
          await addImage(image, signal);
        } catch (error) {
          problems.push(failed(error, image ?? { id, filename: id }, text));
        }
      }
      return problems;
    },
    async replaceAll() {
      controller = new AbortController();
      const { signal } = controller;
      const done: HostOutcome[] = [];
      for (const item of element.items) {
        if (signal.aborted) break;
        if (item.clientRef && item.result && item.replacement?.status !== 'replaced')
          done.push(await replaceItem(item));
      }
      return done;
    },
    run: (ids) => {
      const waiting = [...new Set(ids)];
      const none = { outcomes: [], replaced: 0, savedBytes: 0, element: null };
      return whileAlone((go) => go({ version: 1, waiting, inWork: 0, total: waiting.length, ...none }));
    },
    async resume() {
      if (!journal.load()?.waiting.length) return null;
      return whileAlone(async (go) => {
        // Another tab may have gone on with it until now.
        const record = journal.load();
        if (!record?.waiting.length) return null;
        await bringBack(record);
        return go(record);
      });
    },
    forget: () => journal.clear(),
    stop: () => controller.abort(),
    async restore(ids) {
      controller = new AbortController();
      const { signal } = controller;
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
    },
    disconnect() {
      controller.abort();
      element.removeEventListener('io-replace', listener);
      if (element.transport === ours) element.transport = before;
    },
  };

  async function addImage(image: HostImage | null, signal: AbortSignal): Promise<void> {
    if (!image) throw new HostError('not_found', text('host.not_found'));
    const { id, filename, title, alt } = image;
    if (image.status === 'unavailable') throw new HostError('unsupported', image.reason ?? text('host.unsupported'));
    const there = element.items.find((item) => item.clientRef === id);
    // What was left out is added anew: as it is now.
    if (there && !checked?.refusalOf(there)) return;
    const fetchChecked = async () => {
      await host.check?.(id, { signal });
      return host.fetch(id, { signal });
    };
    const blob = await fetchChecked().catch((error: unknown) => {
      throw toHostError(error);
    });
    if (there) element.remove(there.id);
    const { added, rejections } = await element.addItems([{ id, blob, name: filename, title, alt }]);
    if (added.length === 0) throw new HostError('unsupported', rejections[0]?.message ?? text('host.unsupported'));
  }
}

/** An item's texts as the service stores them; what the CMS gave itself has no source. */
function metadataOf(item: HostItem): Metadata {
  const source: Metadata['source'] = {};
  for (const [field, origin] of Object.entries(item.origins)) if (origin && origin !== 'cms') source[field] = origin;
  const { filename, title, alt, decorative } = item.metadata;
  const unknown = { caption: null, tags: [], language: null, model: null };
  return { filename, title, alt, decorative, source, needsReview: [...item.needsReview], ...unknown };
}
