import type { CmsHost } from './cms-host.ts';
import {
  addImages,
  type Connected,
  replaceAll,
  replaceResult,
  restoreImages,
  resumeRun,
  startRun,
} from './connection.ts';
import type { HostElement, ReplaceDetail } from './host-element.ts';
import { hostTexts } from './host-texts.ts';
import { installCalls } from './install-calls.ts';
import { createRunStorage, type JournalStorage, pageStorage } from './journal.ts';
import type { HostOutcome } from './outcome.ts';
import { createRehydrate } from './rehydrate.ts';
import type { ReplaceRules } from './replace-rules.ts';
import type { RunProgress } from './run-images.ts';
import { type DecodeImage, decodeInBrowser } from './verify-download.ts';

/** Options of a connection. */
export interface ConnectOptions extends ReplaceRules {
  /** Images that are uploaded, exported and replaced together in a run, 1-50. Default: 10. */
  batchSize?: number | undefined;
  /** Storage for the record of a run. Default: the page's `localStorage`; null: none. */
  storage?: JournalStorage | null | undefined;
  /** Called after each step of a run. */
  onProgress?: ((progress: RunProgress) => void) | undefined;
  /** Called for each image that was replaced, in a run or from the element. */
  onOutcome?: ((outcome: HostOutcome) => void) | undefined;
  /** Decodes downloads to verify them. Default: the browser. */
  decode?: DecodeImage | undefined;
}

/** Connection of a CMS and an element. */
export interface HostConnection {
  readonly host: CmsHost;
  /** Adds images to the element, to be reviewed, exported and replaced. Resolves with the rejected ones. */
  add(ids: readonly string[]): Promise<HostOutcome[]>;
  /** Replaces each exported image of the element that is not replaced yet. */
  replaceAll(): Promise<HostOutcome[]>;
  /**
   * Optimises and replaces images without confirmation, batch by batch: show the cost first.
   * @throws HostError `locked` if a run is in progress, in this tab or another
   */
  run(ids: readonly string[]): Promise<RunProgress>;
  /** Number of images an interrupted run has left; 0: there is none. */
  readonly unfinished: number;
  /**
   * Resumes an interrupted run and tries images again that could not be replaced; null if there is none. Paid results are
   * not paid again.
   * @throws HostError `locked` if a run is in progress or the element has other images; another code if the images cannot
   * be read from the service: the run can be resumed later
   */
  resume(): Promise<RunProgress | null>;
  /** Deletes the record of an interrupted run. */
  forget(): void;
  /** Stops the run after the image being written. It can be resumed. */
  stop(): void;
  /** Puts originals back, one after the other. */
  restore(ids: readonly string[]): Promise<HostOutcome[]>;
  /** Removes the listeners from the element. */
  disconnect(): void;
}

/** Connects an element to a CMS: its texts, headers and settings, and what happens to its results. */
export async function connectHost(
  element: HostElement,
  host: CmsHost,
  options: ConnectOptions = {},
): Promise<HostConnection> {
  const { batchSize = 10, storage = pageStorage(), decode = decodeInBrowser, onProgress, onOutcome } = options;
  const strings = (await host.strings?.()) ?? {};
  const text = hostTexts(strings);
  if (host.strings) element.strings = { ...(element.strings as object), ...strings };
  if (host.uploads) element.importBy = 'server';
  if (host.headers) element.headers = () => host.headers?.() ?? {};
  const settings = await host.settings?.();
  if (settings) element.settings = settings;
  const calls = installCalls(element, host, text);
  const connected: Connected = {
    ...{ element, host, text, calls, batchSize, decode, onProgress, onOutcome },
    allowLarger: options.allowLarger ?? false,
    journal: createRunStorage(storage, host.id),
    rehydrate: createRehydrate(element, text),
    controller: new AbortController(),
    outcomes: new Map(),
  };
  const listener = (event: Event) => {
    const { detail } = event as CustomEvent<ReplaceDetail>;
    detail.waitUntil(replaceResult(connected, detail));
  };
  element.addEventListener('io-replace', listener);
  return {
    host,
    get unfinished() {
      return connected.journal.load()?.waiting.length ?? 0;
    },
    add: (ids) => addImages(connected, ids),
    replaceAll: () => replaceAll(connected),
    run: (ids) => startRun(connected, ids),
    resume: () => resumeRun(connected),
    forget: () => connected.journal.clear(),
    stop: () => connected.controller.abort(),
    restore: (ids) => restoreImages(connected, ids),
    disconnect() {
      connected.controller.abort();
      element.removeEventListener('io-replace', listener);
      calls.release();
    },
  };
}
