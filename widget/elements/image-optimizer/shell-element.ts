import type { PropertyDeclarations, PropertyValues } from 'lit';
import type { Announcement, Item } from '../../state/index.ts';
import type { IoDropzone } from '../io-dropzone/index.ts';
import type { IoLive } from '../io-live/index.ts';
import { comparisonOf } from './comparison.ts';
import { loadCompare } from './load-compare.ts';
import { OperableElement } from './operable-element.ts';
import { comparable, type Dialog, type Shell, type ShellAction } from './shell.ts';

/** A screen reader that comes back from a file dialog needs so long until it hears announcements, in milliseconds. */
const DIALOG_SILENCE_MS = 1500;
/** Between two downloads, so that the browser takes them for several, in milliseconds. */
const DOWNLOAD_GAP_MS = 200;

/** What the buttons of the page do, where the focus goes, and what a page's style sheet can see of the state. */
export class ShellElement extends OperableElement {
  static override properties: PropertyDeclarations = { settingsOpen: { state: true }, dialog: { state: true }, checking: { state: true } };

  declare protected settingsOpen: boolean;
  declare protected dialog: Dialog | null;
  declare protected checking: boolean;

  readonly #internals = this.attachInternals();
  #focusInBar = false;
  #downloading = false;

  constructor() {
    super();
    this.settingsOpen = false;
    this.dialog = null;
    this.checking = false;
    const self = new WeakRef(this);
    this.optimizer.onAnnounce((announcement) => self.deref()?.announced(announcement));
  }

  /** What a live region should say. */
  protected announced(announcement: Announcement): void {
    this.live?.announce(announcement);
  }

  protected get live(): IoLive | null {
    return this.renderRoot?.querySelector('io-live') ?? null;
  }

  protected get dropzone(): IoDropzone | null {
    return this.renderRoot?.querySelector('io-dropzone') ?? null;
  }

  protected get locked(): boolean {
    return this.disabled || this.readonly;
  }

  /** What the page is drawn from. */
  protected shell(): Shell {
    const { optimizer, i18n, mode, noSample, noAnalyze, noDownload, locked, settingsOpen, dialog, analyzeOptions } =
      this;
    const costFailed = optimizer.notices.some(({ phase }) => phase === 'cost');
    return {
      ...{ optimizer, i18n, mode, noSample, noAnalyze, noDownload, locked, settingsOpen, dialog, analyzeOptions },
      costFailed,
      costLoading: this.checking || (!costFailed && optimizer.cost === null && optimizer.counts.toExport > 0),
      act: (action) => this.act(action),
      closed: (yes) => void this.#closed(yes),
      dismiss: (id) => optimizer.dismiss(id),
      exportFirst: (first) => {
        this.dialog = { name: 'export', first };
      },
      setAnalyzeOptions: (options) => {
        this.analyzeOptions = options;
      },
    };
  }

  protected act(action: ShellAction): void {
    const { optimizer } = this;
    const actions: { [name in ShellAction]: () => unknown } = {
      'accept-all': () => optimizer.acceptAll(),
      analyze: () => {
        const { counts, items } = optimizer;
        const missing = counts.missing > 0 && items.list().some(({ analyzed }) => analyzed);
        return optimizer.analyze(undefined, { missing });
      },
      cancel: () => optimizer.cancel(),
      'check-cost': () => this.#checkCost(),
      'compare-samples': () => this.#compare('sample'),
      'confirm-clear': () => {
        this.dialog = { name: 'clear' };
      },
      'confirm-export': () => {
        this.dialog = { name: 'export', first: null };
        return this.#checkCost();
      },
      'download-all': () => this.#downloadAll(),
      pause: () => optimizer.pause(),
      redo: () => optimizer.redo(),
      'replace-all': () => this.#replaceAll(),
      resume: () => optimizer.resume(),
      retry: () => optimizer.retry(),
      sample: () => this.#sample(),
      'skip-list': () => this.#focusBar(),
      'toggle-settings': () => {
        this.settingsOpen = !this.settingsOpen;
      },
      undo: () => optimizer.undo(),
      upload: () => optimizer.upload(),
    };
    // What fails is among the notices and told by `io-error`.
    void Promise.resolve(actions[action]()).catch(() => {});
  }

  /** Opens the comparison at an image. */
  protected compareItem(item: Item): Promise<void> {
    return this.#compare(item.result ? 'result' : 'sample', item.id);
  }

  protected holdAnnouncements(): void {
    this.live?.hold(DIALOG_SILENCE_MS);
  }

  /** `:state(dragging)`. */
  protected mirrorDrag(dragging: boolean): void {
    this.#mirror('dragging', dragging);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    super.willUpdate(changed);
    const { state, offline } = this.optimizer;
    this.dataset.state = state;
    this.toggleAttribute('data-offline', offline);
    this.#mirror('empty', state === 'empty');
    this.#mirror('error', state === 'error');
    this.#mirror('offline', offline);
    this.#mirror('busy', ['uploading', 'analyzing', 'sampling', 'exporting'].includes(state));
    const active = this.shadowRoot?.activeElement;
    this.#focusInBar = Boolean(active?.closest('.bar'));
  }

  protected override updated(changed: PropertyValues<this>): void {
    super.updated(changed);
    const dialog = this.renderRoot.querySelector('dialog');
    if (dialog && !dialog.open) dialog.showModal();
    // A button that gave way to another one took the focus with it.
    if (this.#focusInBar && !this.shadowRoot?.activeElement) this.#focusBar();
  }

  #mirror(name: string, on: boolean): void {
    try {
      if (on) this.#internals.states.add(name);
      else this.#internals.states.delete(name);
    } catch {
      // Browsers of the first days wanted `--name`; they have the data attributes.
    }
  }

  #focusBar(): void {
    const button = this.renderRoot.querySelector<HTMLElement>('.bar .ways button:not(:disabled)');
    (button ?? this.dropzone)?.focus();
  }

  async #closed(yes: boolean): Promise<void> {
    const dialog = this.dialog;
    this.dialog = null;
    if (yes && dialog?.name === 'clear') {
      this.optimizer.clear();
      await this.updateComplete;
      this.dropzone?.focus();
    } else if (yes && dialog?.name === 'export') {
      // What fails is among the notices and told by `io-error`.
      void this.optimizer.exportImages(undefined, { first: dialog.first ?? undefined }).catch(() => {});
    }
    await this.updateComplete;
    if (!this.shadowRoot?.activeElement) this.#focusBar();
  }

  async #checkCost(): Promise<void> {
    this.checking = true;
    await this.optimizer.checkCost().finally(() => {
      this.checking = false;
    });
  }

  async #sample(): Promise<void> {
    await this.optimizer.sample();
    await this.updateComplete;
    // Whoever still waits at the button wants to see it; somebody who went on typing is not interrupted.
    const waits = this.shadowRoot?.activeElement?.closest('.bar');
    if (waits && this.optimizer.samples.length > 0) await this.#compare('sample');
  }

  async #compare(kind: 'sample' | 'result', id?: string): Promise<void> {
    const items = comparable(this.optimizer.items.list(), kind);
    const pairs = items.flatMap((item) => comparisonOf(this.optimizer, item, kind) ?? []);
    if (pairs.length === 0) return;
    await loadCompare();
    this.dialog = {
      name: 'compare',
      pairs,
      index: Math.max(
        0,
        pairs.findIndex((pair) => pair.id === id),
      ),
    };
  }

  async #downloadAll(): Promise<void> {
    if (this.#downloading) return;
    this.#downloading = true;
    try {
      for (const item of comparable(this.optimizer.items.list(), 'result')) {
        for (const { name } of item.result?.variants ?? []) {
          await this.download(item.id, name);
          await new Promise((resolve) => setTimeout(resolve, DOWNLOAD_GAP_MS));
        }
      }
    } finally {
      this.#downloading = false;
    }
  }

  async #replaceAll(): Promise<void> {
    for (const item of comparable(this.optimizer.items.list(), 'result')) {
      if (item.replacement?.status !== 'replaced') await this.optimizer.replace(item.id);
    }
  }
}
