import { adoptStyles, html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import type { ImageOptimizerEventMap } from '../../events.ts';
import type { Announcement, Item } from '../../state/index.ts';
import { buttons, foundation, tokens } from '../../styles/index.ts';
import { emptyPicture, type FilesDetail, type IoDropzone, pictureStyles } from '../io-dropzone/index.ts';
import type { IoLive } from '../io-live/index.ts';
import { VERSION } from '../version.ts';
import type { Workbench } from '../workbench/index.ts';
import { shellStyles } from './image-optimizer.styles.ts';
import { OperableElement } from './operable-element.ts';

/** A screen reader that comes back from a file dialog needs so long until it hears announcements, in milliseconds. */
const DIALOG_SILENCE_MS = 1500;

/**
 * Uploads, describes, reviews, samples and exports images with an Imagewright service.
 *
 * @tag image-optimizer
 * @slot heading - The title. Default: "Images".
 * @slot dropzone-hint - In place of the line that says what is accepted.
 * @slot empty - In place of the picture and the words while there are no images.
 * @slot toolbar-start - At the start of the toolbar.
 * @slot toolbar-end - At the end of the toolbar.
 * @slot settings-extra - Further settings, after the built-in ones.
 * @slot credits - Where to get more credits; shown when there are too few.
 * @slot footer - At the very end.
 */
export class ImageOptimizer extends OperableElement {
  static override styles = [tokens, foundation, buttons, pictureStyles, shellStyles];
  static override properties: PropertyDeclarations = { itemActions: { attribute: false } };
  /** Version of the package: a page that loads several keeps the first. */
  static readonly version: string = VERSION;

  /** Adds something to each row, e.g. a link into the CMS. */
  declare itemActions: ((item: Item) => Node | TemplateResult | null | undefined) | null;

  readonly #internals = this.attachInternals();
  #workbench: Workbench | null = null;
  #loading = false;

  constructor() {
    super();
    this.itemActions = null;
  }

  /** Opens the file dialog; browsers allow it only as the answer to a click or a key. */
  openPicker(): void {
    this.#dropzone?.openPicker();
  }

  get #dropzone(): IoDropzone | null {
    return this.renderRoot?.querySelector('io-dropzone') ?? null;
  }

  get #live(): IoLive | null {
    return this.renderRoot?.querySelector('io-live') ?? null;
  }

  get #locked(): boolean {
    return this.disabled || this.readonly;
  }

  protected override announced(announcement: Announcement): void {
    this.#live?.announce(announcement);
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
  }

  protected override updated(): void {
    void this.#load();
  }

  /** Everything but the empty state is a file of its own: fetched after the first paint, so that it is there in time. */
  async #load(): Promise<void> {
    if (this.#workbench || this.#loading) return;
    this.#loading = true;
    try {
      const { defineWorkbench, Workbench, workbenchStyles } = await import('../workbench/index.ts');
      await Promise.all([this.languageReady, this.optimizer.prepare()]);
      defineWorkbench();
      const root = this.renderRoot as ShadowRoot;
      adoptStyles(root, [...(this.constructor as typeof ImageOptimizer).elementStyles, ...workbenchStyles]);
      this.#workbench = new Workbench({
        host: this,
        root,
        view: () => this.#view(),
        setAnalyzeOptions: (options) => {
          this.analyzeOptions = options;
        },
        download: (id, variant) => this.download(id, variant),
        focusPicker: () => this.#dropzone?.focus(),
      });
      this.requestUpdate();
    } catch (error) {
      // Without a connection, say: the next update tries again.
      console.error('<image-optimizer>: a part of the element could not be loaded', error);
    } finally {
      this.#loading = false;
    }
  }

  #view() {
    const { optimizer, i18n, mode, noSample, noAnalyze, noDownload, analyzeOptions, itemActions } = this;
    return {
      ...{ optimizer, i18n, mode, noSample, noAnalyze, noDownload, analyzeOptions, itemActions },
      locked: this.#locked,
    };
  }

  #mirror(name: string, on: boolean): void {
    try {
      if (on) this.#internals.states.add(name);
      else this.#internals.states.delete(name);
    } catch {
      // Browsers of the first days wanted `--name`; they have the data attributes.
    }
  }

  #take({ detail }: CustomEvent<FilesDetail>): void {
    // What is refused is among the notices and told by `io-reject`.
    void this.optimizer.addFiles(detail.files, detail.source).catch(() => {});
  }

  #drag({ detail: entered }: CustomEvent<boolean>): void {
    this.#mirror('dragging', entered);
    const text = this.i18n.t(entered ? 'dropzone.entered' : 'dropzone.left');
    this.#live?.announce({ text, urgency: 'assertive' });
  }

  protected override render(): TemplateResult {
    const { i18n, optimizer } = this;
    const { t } = i18n;
    const empty = optimizer.counts.total === 0;
    const workbench = this.#workbench;
    return html`
      <div class="base" part="base" dir=${i18n.dir} lang=${i18n.locale}>
        <div class="shell ${empty ? 'empty' : ''}">
          <header>
            <h2><slot name="heading">${t('heading')}</slot></h2>
            ${empty ? nothing : html`<span class="muted numbers">${this.#summary()}</span>`}
          </header>
          ${workbench?.renderNotices() ?? nothing}
          <div class="tools" part="toolbar" role="group" aria-label=${t('toolbar.label')}>
            <slot name="toolbar-start"></slot>
            <io-dropzone exportparts="dropzone, drop-overlay, picker-button" .i18n=${i18n} .area=${this}
              .accept=${this.accept} ?large=${empty} .disabled=${this.#locked} .noDrop=${this.noDrop}
              .noPaste=${this.noPaste} .noFolder=${this.noFolder} @dropzone-files=${this.#take}
              @dropzone-dialog=${() => this.#live?.hold(DIALOG_SILENCE_MS)} @dropzone-drag=${this.#drag}>
              <slot name="empty" slot="empty">${emptyPicture(t(this.noDrop ? 'dropzone.title-pick' : 'dropzone.title'))}</slot>
              <slot name="dropzone-hint" slot="hint">${t('dropzone.hint')}</slot>
            </io-dropzone>
            ${empty ? nothing : workbench?.renderTools()}
            <slot name="toolbar-end"></slot>
            ${empty ? nothing : workbench?.renderClear()}
          </div>
          ${empty ? nothing : workbench?.renderMain()}
          <div class="footer" part="footer"><slot name="footer"></slot></div>
        </div>
        ${workbench?.renderDialog() ?? nothing}
        <io-live></io-live>
      </div>
    `;
  }

  #summary(): string {
    const { i18n, optimizer } = this;
    const bytes = optimizer.items.list().reduce((sum, { size, image }) => sum + (image?.size ?? size ?? 0), 0);
    return `${i18n.t('cost.images', { count: optimizer.counts.total })} · ${i18n.formatBytes(bytes)}`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'image-optimizer': ImageOptimizer;
  }
  interface HTMLElementEventMap extends ImageOptimizerEventMap {}
}
