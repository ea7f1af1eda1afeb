import type { ImageResult, Limits } from '#contract';
import type { ClientOptions } from '../../plugin-bridge/sdk/index.ts';
import type { Environment } from './environment.ts';
import type { OptimizerEvent } from './event-details.ts';
import type { Announcement, Notice } from './messages.ts';
import type { SavedState } from './session/saved-types.ts';
import type { Transport } from './transport.ts';
import type {
  AddSource,
  Cost,
  EditableField,
  ExportOutcome,
  Item,
  ListFilter,
  MediaItem,
  OptimizerState,
  Position,
  Progress,
  Rejection,
  Restrictions,
  Settings,
} from './types.ts';

/** Stops a subscription. */
export type Unsubscribe = () => void;

/** Gives a text of the widget in its language; `params` fill the placeholders, `count` chooses the plural. */
export type Translate = (key: string, params?: { [name: string]: string | number }) => string;

/** The images, readable and observable. */
export interface ItemStore {
  readonly size: number;
  /** All, as they are now, in the order of adding. */
  list(): readonly Item[];
  /** Those that the filter shows. A row that no longer fits stays until `setFilter` is called again. */
  visible(): readonly Item[];
  get(id: string): Item | undefined;
  /** Called when rows come, go or change place; not when one of them changes. */
  subscribeList(listener: () => void): Unsubscribe;
  /** Called with the new snapshot, at most ten times a second while only progress changes. */
  subscribeItem(id: string, listener: (item: Item) => void): Unsubscribe;
}

/** Options that can be changed at any time. */
export interface OptimizerConfig {
  /** Base URL of `/v1/…`. Default: the page's own origin. */
  endpoint: string;
  /** Sent with each request; a function is called for each. */
  headers: ClientOptions['headers'];
  /** For development and trusted pages only. */
  apiKey: string | undefined;
  /** Calls that replace those of the client. */
  transport: Partial<Transport> | undefined;
  restrictions: Partial<Restrictions>;
  /** Uploads at a time, 1-10. */
  concurrency: number;
  /** Upload tries for a file before it is given up, 1-10. */
  retries: number;
  /** Milliseconds without a byte after which an upload is retried; 0 turns it off. */
  stallTimeout: number;
  /** Images in one export request, 1-99. */
  batchSize: number;
  autoUpload: boolean;
  autoAnalyze: boolean;
  /** `server`: CMS media are imported by the service from their addresses; else the page fetches them. */
  importBy: 'page' | 'server';
  /** Options of an analysis: `language`, `context`, `keywords` … */
  analyzeOptions: { [option: string]: unknown };
  /** Name under which this tab keeps session, settings and texts for a reload; empty: only by the session's id. */
  remember: string;
  settings: Partial<Settings>;
  translate: Translate;
  /** Writes a size in bytes, in the widget's language. */
  formatBytes(bytes: number): string;
}

/** Options of `createOptimizer`. */
export interface OptimizerOptions extends Partial<OptimizerConfig> {
  environment?: Partial<Environment>;
}

/** Accepted and rejected files. */
export interface AddOutcome {
  added: readonly Item[];
  rejections: readonly Rejection[];
}

/** Input of `addFiles`: files, or the DataTransfer of a drop or paste (folders are read recursively). */
export type FileSource = Iterable<Blob> | ArrayLike<Blob> | DataTransfer;

/** The whole flow of the widget without its elements. */
export interface Optimizer {
  readonly items: ItemStore;
  readonly state: OptimizerState;
  readonly sessionId: string | null;
  readonly settings: Settings;
  /** Credits; null while unknown. */
  readonly balance: number | null;
  /** Limits of the service, as far as they are known. */
  readonly limits: Partial<Limits>;
  /** True while leaving the page would lose files or texts. */
  readonly unsaved: boolean;
  /** Null while unknown or out of date. */
  readonly cost: Cost | null;
  /** Of the newest export; null before one and after a change. */
  readonly outcome: ExportOutcome | null;
  /** Results of all exported images, in the order of the list. */
  readonly results: readonly ImageResult[];
  readonly samples: readonly ImageResult[];
  readonly progress: Progress | null;
  /** Runs with a requested cancellation that the service has not confirmed. */
  readonly cancelling: boolean;
  /** Which file of how many is being downloaded, of a download of all. */
  readonly saving: Position | null;
  readonly notices: readonly Notice[];
  readonly offline: boolean;
  readonly paused: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly filter: ListFilter;
  /** Words that rows are searched for; empty: none. */
  readonly query: string;
  /** Counts that toolbars show. */
  readonly counts: Counts;

  /** Called after anything above changed, at most four times a second while only progress changes. */
  subscribe(listener: () => void): Unsubscribe;
  /** Called with every `io-*` event. */
  on(listener: (event: OptimizerEvent) => void): Unsubscribe;
  /** Called with each message for the live regions. */
  onAnnounce(listener: (announcement: Announcement) => void): Unsubscribe;
  /** Announces a text of the elements with the same pace as all others. */
  announce(text: string, urgency?: Announcement['urgency']): void;

  configure(config: Partial<OptimizerConfig>): void;
  /** Preloads the code of the steps after the upload; otherwise the first image loads it. */
  prepare(): Promise<void>;
  addFiles(files: FileSource, source?: AddSource): Promise<AddOutcome>;
  addItems(media: readonly MediaItem[]): Promise<AddOutcome>;
  /** Removes images, and says so once. */
  remove(...ids: string[]): void;
  /** Stops everything and removes all; the session's files at the server expire by themselves. */
  clear(): void;
  /** Resolves when nothing is left to upload. */
  upload(): Promise<void>;
  pause(): void;
  resume(): void;
  /**
   * Without ids: all images. `missing`: only those without a title or alternative text. `context`: what these images are about,
   * instead of the context for all.
   */
  analyze(
    ids?: readonly string[],
    options?: { missing?: boolean; overwrite?: boolean; context?: string },
  ): Promise<void>;
  /**
   * Without ids: up to five that differ most in size and format.
   * @throws RangeError for more than five
   */
  sample(ids?: readonly string[]): Promise<void>;
  /**
   * A free sample of one image with another preset, beside what runs; the item keeps its own sample.
   * @throws OptimizerError if the service refuses it or fails
   */
  samplePreset(id: string, preset: Settings['preset'], signal: AbortSignal): Promise<ImageResult>;
  checkCost(ids?: readonly string[]): Promise<Cost | null>;
  /** Without ids: all that have no result for the present settings. `first`: only so many of them. Null when prevented. */
  exportImages(ids?: readonly string[], options?: { first?: number }): Promise<ExportOutcome | null>;
  /** Stops what runs; what is finished stays. */
  cancel(): void;
  /** Does again what failed, each with its own phase; without ids: all failed ones. */
  retry(ids?: readonly string[]): Promise<void>;

  /** Keeps a text that is being typed, so that not even a crash of the page loses it; null: it is finished. */
  keepDraft(id: string, field: EditableField, value: string | null): void;
  setMetadata(id: string, field: EditableField, value: string | boolean | null): void;
  setDecorative(id: string, decorative: boolean): void;
  /** Sets the point that crops of an image keep nearest to their centre; null: what attracts attention. */
  setFocalPoint(id: string, point: Item['focalPoint']): void;
  /** Sets one text of several images; undone as one step. */
  setForAll(ids: readonly string[], field: 'title' | 'alt', value: string): void;
  /** Marks what the analysis or the file said as seen and right; undone as one step. */
  acceptAll(ids?: readonly string[]): void;
  undo(): void;
  redo(): void;
  /** Shows some rows. Images that it hides are no longer selected. */
  setFilter(filter: ListFilter): void;
  /** Shows only rows whose name or texts have all of these words, in any case and without regard to accents. */
  setQuery(query: string): void;
  /** Selects images, or takes them out of the selection. */
  select(ids: readonly string[], selected: boolean): void;
  setSettings(settings: Partial<Settings>): void;

  /** A file of the export; null when a listener of `io-download` took it. Default variant: `full`. */
  download(id: string, variant?: string): Promise<{ blob: Blob; filename: string } | null>;
  /**
   * All files of the export, one after the other. What fails keeps none of the others from coming; a notice says what is
   * missing and why. `again`: only what is missing.
   */
  downloadAll(save: (blob: Blob, filename: string) => void, again?: boolean): Promise<void>;
  /** Hands the result to the CMS by `io-replace`; the outcome is in the item's `replacement`. */
  replace(id: string): Promise<void>;
  /** The server's small picture of an uploaded image, for rows without a file. */
  preview(id: string, width: number, signal?: AbortSignal): Promise<Blob>;
  /** A sample's or result's bytes, without `io-download`. Default variant: `full`. */
  fetchResult(id: string, kind: 'sample' | 'result', signal?: AbortSignal, variant?: string): Promise<Blob>;
  /** A sample's or result's bytes for the comparison. */
  fetchSample(result: ImageResult): Promise<Blob>;

  /** Takes a session from the server, its images, texts and results, and joins what is running. */
  attach(sessionId: string): Promise<void>;
  /** Restores what `remember` has kept in this tab. */
  recall(): Promise<void>;
  /** Uploads all files that are at hand to a new session, with their texts. */
  renew(): Promise<void>;
  /** Asks the service for its limits, once. Resolves after a second at the latest. */
  askLimits(): Promise<void>;
  getState(): SavedState;
  restore(state: SavedState): Promise<void>;
  dismiss(noticeId: string): void;
  /** Ends timers and requests; jobs at the server go on. */
  dispose(): void;
}

/** Counts that toolbars show. */
export interface Counts {
  readonly total: number;
  /** At the server. */
  readonly uploaded: number;
  readonly failed: number;
  /** Without alternative text, and not decorative. */
  readonly missing: number;
  /** Those of `missing` that are at the server. */
  readonly undescribed: number;
  /** Images whose texts the analysis marks for review. */
  readonly review: number;
  /** Images with a text that is not accepted yet. */
  readonly unaccepted: number;
  /** Uploaded images without a result for the present settings and texts. */
  readonly toExport: number;
  readonly exported: number;
  readonly selected: number;
}
