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
import { saveFile } from './save-file.ts';

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
 * @fires {CustomEvent<EventDetails['io-before-add']>} io-before-add - Files are about to be looked at. Cancelable.
 * @fires {CustomEvent<EventDetails['io-add']>} io-add - Images were added.
 * @fires {CustomEvent<EventDetails['io-remove']>} io-remove - Images were taken out.
 * @fires {CustomEvent<EventDetails['io-reject']>} io-reject - Files were not taken; one event for each batch.
 * @fires {CustomEvent<EventDetails['io-upload-progress']>} io-upload-progress - Bytes of an upload, at most ten times a second for each image.
 * @fires {CustomEvent<EventDetails['io-upload']>} io-upload - An image is at the service.
 * @fires {CustomEvent<EventDetails['io-analyze-progress']>} io-analyze-progress - An image of an analysis is done.
 * @fires {CustomEvent<EventDetails['io-analyze']>} io-analyze - An analysis has ended.
 * @fires {CustomEvent<EventDetails['io-metadata-change']>} io-metadata-change - A text is about to change by a person (cancelable), or has changed by the analysis.
 * @fires {CustomEvent<EventDetails['io-settings-change']>} io-settings-change - A setting has changed.
 * @fires {CustomEvent<EventDetails['io-cost']>} io-cost - What an export would cost is known.
 * @fires {CustomEvent<EventDetails['io-sample']>} io-sample - A free sample is there.
 * @fires {CustomEvent<EventDetails['io-before-export']>} io-before-export - An export is about to begin, before anything is charged. Cancelable.
 * @fires {CustomEvent<EventDetails['io-export-progress']>} io-export-progress - An image of an export has come further.
 * @fires {CustomEvent<EventDetails['io-export']>} io-export - An export has ended.
 * @fires {CustomEvent<EventDetails['io-download']>} io-download - A file is asked for. Cancelable: then the page takes it.
 * @fires {CustomEvent<EventDetails['io-replace']>} io-replace - A result is to take an image's place in the CMS. Cancelable; `waitUntil` tells how it went.
 * @fires {CustomEvent<EventDetails['io-state-change']>} io-state-change - `state` has changed.
 * @fires {CustomEvent<EventDetails['io-error']>} io-error - Something went wrong; it is shown, too.
 * @csspart base - Everything.
 * @csspart toolbar - What is done with all images.
 * @csspart dropzone - The frame that takes files.
 * @csspart drop-overlay - What covers the element while files are dragged.
 * @csspart picker-button - “Add images”.
 * @csspart list - The rows.
 * @csspart row - One image.
 * @csspart row-error - What went wrong with it.
 * @csspart thumb - Its picture.
 * @csspart field - A label with its field.
 * @csspart input - A field.
 * @csspart badge - A small word about state or origin.
 * @csspart progress - A bar of progress.
 * @csspart status - The line of name, size and state.
 * @csspart settings - The settings of the export.
 * @csspart compare - The comparison's stage.
 * @csspart compare-handle - The comparison's divider.
 * @csspart cost - What an export costs.
 * @csspart notice - A message that stays.
 * @csspart footer - The end.
 * @csspart button - Any button.
 * @csspart button-primary - The main button of a place.
 * @csspart button-danger - A button that takes something away.
 * @cssprop [--io-font=system-ui, …] - Font family.
 * @cssprop [--io-font-size=0.9375em] - Size of the text.
 * @cssprop [--io-line-height=1.5] - Height of a line.
 * @cssprop [--io-color-text=light-dark(#1b1e25, #eceef2)] - Text.
 * @cssprop [--io-color-muted=light-dark(#5a6170, #a5acb9)] - Text of less weight.
 * @cssprop [--io-color-surface=light-dark(#fff, #17191f)] - Background.
 * @cssprop [--io-color-surface-2=light-dark(#f6f7f9, #20232a)] - Background of the drop zone and of what cannot be edited.
 * @cssprop [--io-color-border=light-dark(#e0e3e8, #343943)] - Lines between things.
 * @cssprop [--io-color-accent=var(--wp-admin-theme-color, #2271b1), lighter on dark] - Main buttons, progress, focus.
 * @cssprop [--io-color-on-accent=light-dark(#fff, #0d1520)] - Text on the accent.
 * @cssprop [--io-color-danger=light-dark(#b3261e, #ff9b91)] - Errors.
 * @cssprop [--io-color-success=light-dark(#146c43, #75d6a0)] - Success.
 * @cssprop [--io-color-warning=light-dark(#885200, #f2bd63)] - Warnings.
 * @cssprop [--io-focus-ring=the accent] - Colour of the focus ring.
 * @cssprop [--io-radius=10px] - Radius of corners.
 * @cssprop [--io-space=4px] - Unit of all distances.
 * @cssprop [--io-thumb-size=88px] - Edge of a row's picture.
 * @cssprop [--io-row-min-height=120px] - Least height of a row.
 * @cssprop [--io-list-max-height=min(72vh, 860px)] - Height at which the rows begin to scroll; `none`: they never do.
 * @cssprop [--io-control-height=36px] - Least height of buttons and fields.
 * @cssprop [--io-shadow=two soft ones] - Shadow of the card.
 * @cssprop [--io-z-overlay=10] - Place of the drag overlay in the stack.
 * @cssState dragging - Files are dragged over the element.
 * @cssState busy - Something runs.
 * @cssState error - Nothing goes on until a person acts.
 * @cssState empty - There are no images.
 * @cssState offline - There is no connection.
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
        properties: () => this.#properties(),
        setAnalyzeOptions: (options) => {
          this.analyzeOptions = options;
        },
        download: (id, variant) => this.download(id, variant),
        save: saveFile,
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

  #properties() {
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
