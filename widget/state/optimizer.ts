import type { ImageResult, Limits } from '#contract';
import type { Core, OptimizerConfig, OptimizerOptions } from './core.ts';
import type { OptimizerEvent } from './event-details.ts';
import type { Flow } from './flow.ts';
import type { ItemStore } from './item-store.ts';
import type { Unsubscribe } from './listeners.ts';
import type { Announcement, Notice } from './messages.ts';
import {
  addCandidates,
  createParts,
  disposeParts,
  loadFlow,
  type OptimizerParts,
  open,
  put,
  recall,
  removeByUser,
  reset,
  stateOf,
  withFlow,
} from './optimizer-parts.ts';
import { type Counts, isUnsaved, itemsOf } from './review/item-questions.ts';
import type { SavedState } from './session/saved-types.ts';
import type {
  AddSource,
  Cost,
  ExportOutcome,
  ListFilter,
  MediaItem,
  OptimizerState,
  Position,
  Progress,
  Settings,
} from './types.ts';
import { type AddOutcome, candidateOf } from './uploads/add-files.ts';
import { collectFiles, type FileSource } from './uploads/collect-files.ts';

/** The widget without its elements. Sends no request before it is used, and observes nothing of the page but its online state. */
export class Optimizer {
  /** The images, readable and observable. */
  readonly items: ItemStore;
  readonly #parts: OptimizerParts;
  readonly #core: Core;

  constructor(options: OptimizerOptions = {}) {
    this.#parts = createParts(options);
    this.#core = this.#parts.core;
    this.items = this.#core.store;
  }

  get state(): OptimizerState {
    return stateOf(this.#parts);
  }
  get sessionId(): string | null {
    return this.#core.sessionId;
  }
  get settings(): Settings {
    return this.#core.settings;
  }
  /** Credits; null while unknown. */
  get balance(): number | null {
    return this.#core.balance;
  }
  /** Known limits of the service. */
  get limits(): Partial<Limits> {
    return this.#core.limits;
  }
  /** True while leaving the page would lose files or texts. */
  get unsaved(): boolean {
    return this.#flow?.persistence.drafting || this.items.list().some(isUnsaved);
  }
  /** Price of the next export; null while unknown or out of date. */
  get cost(): Cost | null {
    return this.#flow?.cost.cost ?? null;
  }
  /** Outcome of the newest export; null before one and after a change. */
  get outcome(): ExportOutcome | null {
    return this.#flow?.exports.outcome ?? null;
  }
  /** Results of all exported images, in the order of the list. */
  get results(): readonly ImageResult[] {
    return this.items.list().flatMap(({ result }) => result ?? []);
  }
  get samples(): readonly ImageResult[] {
    return this.items.list().flatMap(({ sample }) => sample ?? []);
  }
  get progress(): Progress | null {
    return this.#parts.runs.progress ?? this.#parts.uploading.progress();
  }
  /** True from the request to cancel a run until the service has confirmed it. */
  get cancelling(): boolean {
    return this.#parts.runs.cancelling;
  }
  /** Number of the file that a download of all files has reached. */
  get saving(): Position | null {
    return this.#flow?.files.downloads.saving ?? null;
  }
  get notices(): readonly Notice[] {
    return this.#core.notices.list();
  }
  get offline(): boolean {
    return !this.#core.env.online.isOnline();
  }
  get paused(): boolean {
    return this.#parts.uploading.queue.paused;
  }
  get canUndo(): boolean {
    return this.#flow?.review.canUndo() ?? false;
  }
  get canRedo(): boolean {
    return this.#flow?.review.canRedo() ?? false;
  }
  get filter(): ListFilter {
    return this.#core.store.filter;
  }
  /** Words that rows are searched for; empty: none. */
  get query(): string {
    return this.#core.store.query;
  }
  /** Counts that toolbars show. */
  get counts(): Counts {
    return this.#core.store.counts();
  }

  /** Observes the properties above. Changes of progress are reported at most four times a second. */
  subscribe(listener: () => void): Unsubscribe {
    return this.#core.changes.add(listener);
  }
  /** Observes all `io-*` events. */
  on(listener: (event: OptimizerEvent) => void): Unsubscribe {
    return this.#core.events.add(listener);
  }
  /** Observes the messages for live regions. */
  onAnnounce(listener: (announcement: Announcement) => void): Unsubscribe {
    return this.#core.announcer.subscribe(listener);
  }
  /** Announces a text of the elements with the same pace as all others. */
  announce(text: string, urgency?: Announcement['urgency']): void {
    this.#core.announcer.say(`page ${text}`, text, { assertive: urgency === 'assertive' });
  }
  configure(config: Partial<OptimizerConfig>): void {
    this.#core.configure(config);
    if (config.settings) this.setSettings(config.settings);
  }
  readonly setSettings = (settings: Partial<Settings>): void => this.#parts.settings.set(settings);
  /** Filters the rows. Hidden images are no longer selected. */
  readonly setFilter = (filter: ListFilter): void => this.#core.store.setFilter(filter);
  /** Shows only rows whose name or texts have all of these words; case and accents are ignored. */
  setQuery(query: string): void {
    const { store, announcer, t } = this.#core;
    store.setFilter(store.filter, query);
    announcer.say('query', () => t('finder.shown', { count: store.visible().length }), { delay: 800 });
  }
  /** Selects or deselects images. */
  readonly select = (ids: readonly string[], selected: boolean): void => this.#core.store.select(ids, selected);
  readonly dismiss = (noticeId: string): void => this.#core.notices.drop(noticeId);
  /** Ends timers and requests; jobs continue at the service. */
  dispose(): void {
    disposeParts(this.#parts);
  }

  /** Preloads the code of the steps after the upload; otherwise the first image loads it. */
  async prepare(): Promise<void> {
    if (!this.offline) await loadFlow(this.#parts).catch(() => {});
  }
  /** Asks the service for its limits, once. Resolves after a second at the latest. */
  loadLimits(): Promise<void> {
    return this.#parts.loadLimits();
  }
  async addFiles(files: FileSource, source: AddSource = 'api'): Promise<AddOutcome> {
    return addCandidates(this.#parts, await collectFiles(files, source), source);
  }
  addItems(media: readonly MediaItem[]): Promise<AddOutcome> {
    return addCandidates(this.#parts, media.map(candidateOf), 'api');
  }
  /** Removes images and announces it once. */
  remove(...ids: string[]): void {
    removeByUser(this.#parts, itemsOf(this.items, ids));
  }
  /** Stops everything and removes all images; the session's files at the server expire by themselves. */
  clear(): void {
    this.#flow?.persistence.clear();
    this.#parts.runs.cancel();
    reset(this.#parts);
  }
  /** Uploads all images. Resolves when nothing is left to upload. */
  upload(): Promise<void> {
    this.#core.blocked = null;
    return this.#parts.uploading.uploadAll();
  }
  /** Pauses uploads until `resume`. */
  pause(): void {
    this.#parts.uploading.queue.pause();
    this.#core.touch();
  }
  resume(): void {
    this.#core.blocked = null;
    this.#parts.uploading.queue.resume();
    this.#core.touch();
  }
  /** Cancels the runs and uploads in progress; finished images keep their results. */
  cancel(): void {
    const { runs, uploading } = this.#parts;
    runs.cancel();
    uploading.forget(uploading.queue.ids());
    this.#core.announcer.say('cancel', this.#core.t(runs.cancelling ? 'bar.cancelling' : 'announce.cancelled'));
  }

  /**
   * Describes images. Default: all. `missing`: only those without a title or alternative text. `overwrite`: replaces texts
   * of the user. `context`: replaces the context for all images.
   */
  readonly analyze = this.#loaded((flow) => flow.analyze);
  /** Makes free samples. Default: five images that differ most in size and format. @throws RangeError for more than five */
  readonly sample = this.#loaded((flow) => flow.sample);
  /**
   * Makes a free sample of one image with another preset, parallel to the runs; the item keeps its own sample.
   * @throws OptimizerError if the service refuses it or fails
   */
  readonly samplePreset = this.#loaded((flow) => flow.samplePreset);
  readonly checkCost = this.#loaded((flow) => flow.checkCost);
  /** Exports images. Default: all without a result for the settings; `first` limits their number. Null when prevented. */
  readonly exportImages = this.#loaded((flow) => flow.exports.exportImages);

  /** Keeps a text while it is typed, so that a crash of the page does not lose it; null: typing has ended. */
  readonly keepDraft = this.#edit((flow) => flow.persistence.keepDraft);
  readonly setMetadata = this.#edit((flow) => flow.review.setMetadata);
  readonly setDecorative = this.#edit((flow) => flow.review.setDecorative);
  /** Sets the point that crops keep nearest to their centre; null: the service finds it. */
  readonly setFocalPoint = this.#edit((flow) => flow.review.setFocalPoint);
  /** Sets one text of several images in one undoable step. */
  readonly setForAll = this.#edit((flow) => flow.review.setForAll);
  /** Marks texts of the analysis or the file as reviewed in one undoable step. Default: all. */
  readonly acceptAll = this.#edit((flow) => flow.review.acceptAll);
  readonly undo = (): void => this.#flow?.review.step('undo');
  readonly redo = (): void => this.#flow?.review.step('redo');

  /** Fetches an exported file; null when a listener of `io-download` takes it. Default variant: `full`. */
  readonly download = this.#loaded((flow) => flow.files.downloads.download);
  /** Fetches all exported files one after the other. A notice lists failed ones; `again`: fetches only those. */
  readonly downloadAll = this.#loaded((flow) => flow.files.downloads.downloadAll);
  /** Passes the result to the CMS by `io-replace`; the outcome is in the item's `replacement`. */
  readonly replace = this.#loaded((flow) => flow.files.replace);
  /** Fetches the server's preview of an uploaded image, for rows without a file. */
  readonly preview = this.#loaded((flow) => flow.files.preview);
  /** Fetches the bytes of an item's sample or result without `io-download`. Default variant: `full`. */
  readonly fetchResult = this.#loaded((flow) => flow.files.fetchResult);
  /** Fetches the bytes of any sample. */
  readonly fetchSample = this.#loaded((flow) => flow.files.fetchSample);

  /** Opens a session of the server with its images, texts and results, and follows its running jobs. `saved`: texts kept by the page. */
  attach(sessionId: string, saved?: SavedState): Promise<void> {
    // Jobs of the former session continue at the service.
    this.#parts.runs.leave();
    reset(this.#parts);
    return open(this.#parts, (flow, epoch) => flow.attachment.attach({ sessionId, saved }, epoch));
  }
  /** Restores the state that `remember` keeps in this tab. */
  recall(): Promise<void> {
    return recall(this.#parts);
  }
  /** Uploads all available files to a new session, with their texts. */
  async renew(): Promise<void> {
    (await loadFlow(this.#parts)).renew(this.#parts.uploading);
  }
  /** Repeats the failed phase of each failed image. Default: all. */
  async retry(ids?: readonly string[]): Promise<void> {
    this.#core.blocked = null;
    const flow = await loadFlow(this.#parts);
    const { unread } = this.#core;
    // Images that are there come again; without any, files that were added meanwhile stay.
    if (unread && this.sessionId) await this.attach(unread.sessionId, unread.saved);
    else if (unread) await open(this.#parts, (flow, epoch) => flow.attachment.attach(unread, epoch));
    await flow.retry(this.#parts.uploading, ids);
  }
  /** Returns data that `restore` takes. */
  getState(): SavedState {
    const { sessionId, settings } = this.#core;
    const empty = { version: 1, sessionId, settings, edits: {}, order: [], removed: [] } as const;
    return this.#flow?.persistence.getState() ?? empty;
  }
  restore(saved: SavedState): Promise<void> {
    if (saved.sessionId) return this.attach(saved.sessionId, saved);
    return open(this.#parts, (flow, epoch) => put(this.#parts, flow, saved, epoch));
  }

  get #flow(): Flow | null {
    return this.#parts.flow;
  }
  /** Returns a method that loads the flow before it runs. */
  #loaded<Args extends unknown[], Value>(method: (flow: Flow) => (...args: Args) => Promise<Value>) {
    return async (...args: Args): Promise<Value> => method(await loadFlow(this.#parts))(...args);
  }
  /** Returns a method that runs at once if the flow is loaded. */
  #edit<Args extends unknown[]>(method: (flow: Flow) => (...args: Args) => void) {
    return (...args: Args): void => withFlow(this.#parts, (flow) => method(flow)(...args));
  }
}
