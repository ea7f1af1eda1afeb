import { adoptStyles, html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import type { ImageOptimizerEventMap } from '../../events.ts';
import { type Announcement, acceptedTypes, type Item } from '../../state/index.ts';
import { buttons, foundation, tokens } from '../../styles/index.ts';
import { VERSION } from '../../version.ts';
import { emptyPicture, type FilesDetail, type IoDropzone, pictureStyles } from '../io-dropzone/index.ts';
import type { IoLive } from '../io-live/index.ts';
import type { LitTemplate } from '../lit-template.ts';
import type { Workbench } from '../workbench/index.ts';
import { shellStyles } from './image-optimizer.styles.ts';
import { OperableElement } from './operable-element.ts';
import { saveFile } from './save-file.ts';

/** Time after a file dialog in which screen readers drop announcements, in milliseconds. */
const DIALOG_SILENCE_MS = 1500;

/**
 * Uploads, describes, reviews, samples and exports images with an Imagewright service.
 *
 * @tag image-optimizer
 * @slot heading - The title. Default: "Images".
 * @slot dropzone-hint - Replaces the line about accepted files.
 * @slot empty - Replaces the picture and text shown without images.
 * @slot toolbar-start - At the start of the toolbar.
 * @slot toolbar-end - At the end of the toolbar.
 * @slot settings-extra - Further settings, after the built-in ones.
 * @slot credits - Link to buy credits; shown if there are too few.
 * @slot footer - End of the element.
 * @fires {CustomEvent<EventDetails['io-before-add']>} io-before-add - Files are about to be added. Cancelable.
 * @fires {CustomEvent<EventDetails['io-add']>} io-add - Images were added.
 * @fires {CustomEvent<EventDetails['io-remove']>} io-remove - Images were removed.
 * @fires {CustomEvent<EventDetails['io-reject']>} io-reject - Files were rejected. One event per batch.
 * @fires {CustomEvent<EventDetails['io-upload-progress']>} io-upload-progress - Progress of an upload in bytes, at most ten times a second per image.
 * @fires {CustomEvent<EventDetails['io-upload']>} io-upload - An image was uploaded.
 * @fires {CustomEvent<EventDetails['io-analyze-progress']>} io-analyze-progress - An image was analysed.
 * @fires {CustomEvent<EventDetails['io-analyze']>} io-analyze - An analysis has ended.
 * @fires {CustomEvent<EventDetails['io-metadata-change']>} io-metadata-change - A text is about to be changed by the user (cancelable), or was changed by the analysis.
 * @fires {CustomEvent<EventDetails['io-settings-change']>} io-settings-change - A setting has changed.
 * @fires {CustomEvent<EventDetails['io-cost']>} io-cost - The cost of an export is known.
 * @fires {CustomEvent<EventDetails['io-sample']>} io-sample - A free sample is ready.
 * @fires {CustomEvent<EventDetails['io-before-export']>} io-before-export - An export is about to start; nothing is charged yet. Cancelable.
 * @fires {CustomEvent<EventDetails['io-export-progress']>} io-export-progress - Progress of an image in an export.
 * @fires {CustomEvent<EventDetails['io-export']>} io-export - An export has ended.
 * @fires {CustomEvent<EventDetails['io-download']>} io-download - A file is about to be saved. Cancelable, if the page saves it itself.
 * @fires {CustomEvent<EventDetails['io-replace']>} io-replace - A result should replace an image in the CMS. Cancelable; `waitUntil` takes a promise of the outcome.
 * @fires {CustomEvent<EventDetails['io-state-change']>} io-state-change - `state` has changed.
 * @fires {CustomEvent<EventDetails['io-error']>} io-error - An error occurred; the element shows it as well.
 * @csspart base - Outermost box.
 * @csspart toolbar - Actions on all images.
 * @csspart dropzone - Drop zone.
 * @csspart drop-overlay - Overlay shown while files are dragged.
 * @csspart picker-button - “Add images”.
 * @csspart menu - Menu of rare actions.
 * @csspart list - The rows.
 * @csspart row - One image.
 * @csspart row-error - Error of an image.
 * @csspart thumb - Thumbnail.
 * @csspart field - A label with its field.
 * @csspart input - A field.
 * @csspart badge - State in a word.
 * @csspart progress - Progress bar.
 * @csspart status - Name, size and state.
 * @csspart settings - The settings of the export.
 * @csspart compare - The comparison's stage.
 * @csspart compare-handle - The comparison's divider.
 * @csspart cost - Cost of an export.
 * @csspart notice - Message that stays until dismissed.
 * @csspart footer - Footer.
 * @csspart button - Any button.
 * @csspart button-primary - Primary button.
 * @csspart button-danger - Button that removes something.
 * @cssprop [--io-font=system-ui, …] - Font family.
 * @cssprop [--io-font-size=0.875em] - Size of the text.
 * @cssprop [--io-line-height=1.4286] - Height of a line.
 * @cssprop [--io-color-text=light-dark(#1b1e25, #eceef2)] - Text.
 * @cssprop [--io-color-muted=light-dark(#5a6170, #a5acb9)] - Secondary text.
 * @cssprop [--io-color-surface=light-dark(#fff, #17191f)] - Background.
 * @cssprop [--io-color-surface-2=light-dark(#f6f7f9, #20232a)] - Background of the drop zone and of read-only fields.
 * @cssprop [--io-color-border=12 % of the text on the background] - Borders.
 * @cssprop [--io-color-accent=var(--wp-admin-theme-color, #2271b1), lighter on dark] - Main buttons, progress, focus.
 * @cssprop [--io-color-on-accent=light-dark(#fff, #0d1520)] - Text on the accent colour.
 * @cssprop [--io-color-danger=light-dark(#b3261e, #ff9b91)] - Errors.
 * @cssprop [--io-color-success=light-dark(#146c43, #75d6a0)] - Success.
 * @cssprop [--io-color-warning=light-dark(#885200, #f2bd63)] - Warnings.
 * @cssprop [--io-color-check=light-dark(#b7791f, #f3c969)] - Dots of what is to be checked.
 * @cssprop [--io-focus-ring=the accent] - Colour of the focus ring.
 * @cssprop [--io-radius=10px] - Radius of corners.
 * @cssprop [--io-space=4px] - Base unit of distances.
 * @cssprop [--io-thumb-size=56px] - Edge of thumbnails.
 * @cssprop [--io-row-min-height=72px] - Minimum height of a row.
 * @cssprop [--io-list-max-height=none] - Height from which on the list scrolls; `none`: the page scrolls it.
 * @cssprop [--io-control-height=32px, 36px on touch screens] - Minimum height of buttons and fields.
 * @cssprop [--io-shadow=two soft shadows] - Shadow of the card.
 * @cssprop [--io-z-overlay=10] - z-index of the drag overlay.
 * @cssState dragging - Files are dragged over the element.
 * @cssState busy - A run or upload is in progress.
 * @cssState error - The user has to act.
 * @cssState empty - There are no images.
 * @cssState offline - There is no connection.
 */
export class ImageOptimizer extends OperableElement {
  static override styles = [tokens, foundation, buttons, pictureStyles, shellStyles];
  static override properties: PropertyDeclarations = { itemActions: { attribute: false } };
  /** Version of the package. A page that loads several versions uses the first. */
  static readonly version: string = VERSION;

  /** Renders additional content of a row, e.g. a link into the CMS. */
  declare itemActions: ((item: Item) => Node | LitTemplate | null | undefined) | null;

  readonly #internals = this.attachInternals();
  #workbench: Workbench | null = null;
  #loading = false;
  #guarded = false;
  readonly #onLeave = (event: Event): void => event.preventDefault();

  constructor() {
    super();
    this.itemActions = null;
  }

  /** Opens the file dialog. Browsers allow it only in response to a click or key. */
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
    this.#setState('empty', state === 'empty');
    this.#setState('error', state === 'error');
    this.#setState('offline', offline);
    this.#setState('busy', ['uploading', 'analyzing', 'sampling', 'exporting'].includes(state));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#guard(false);
  }

  /** Makes the browser ask before the page is left. Only while it is needed: pages with such a listener are not kept for "back". */
  #guard(wanted: boolean): void {
    if (wanted === this.#guarded) return;
    this.#guarded = wanted;
    if (wanted) globalThis.addEventListener('beforeunload', this.#onLeave);
    else globalThis.removeEventListener('beforeunload', this.#onLeave);
  }

  protected override updated(): void {
    this.#guard(this.isConnected && this.optimizer.unsaved);
    void this.#load();
  }

  /** Loads everything but the empty state, which is a separate chunk, after the first paint. */
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
      // For example without a connection: the next update tries again. Firefox also breaks off what a page loads that is left.
      setTimeout(() => {
        if (this.isConnected) console.error('<image-optimizer>: a part of the element could not be loaded', error);
      }, 1000);
    } finally {
      this.#loading = false;
    }
  }

  #properties() {
    const { optimizer, i18n, mode, noSample, noAnalyze, noDownload, compact, analyzeOptions, itemActions } = this;
    return {
      ...{ optimizer, i18n, mode, noSample, noAnalyze, noDownload, compact, analyzeOptions, itemActions },
      locked: this.#locked,
    };
  }

  #setState(name: string, on: boolean): void {
    try {
      if (on) this.#internals.states.add(name);
      else this.#internals.states.delete(name);
    } catch {
      // Early implementations require `--name`; the data attributes work there.
    }
  }

  #addFiles({ detail }: CustomEvent<FilesDetail>): void {
    // Rejected files are shown as notices and reported by `io-reject`.
    void this.optimizer.addFiles(detail.files, detail.source).catch(() => {});
  }

  #loadLimits(): void {
    if (!this.#locked) void this.optimizer.loadLimits();
  }

  #drag({ detail: entered }: CustomEvent<boolean>): void {
    this.#loadLimits();
    this.#setState('dragging', entered);
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
          <div class="titlebar">
          <header>
            <h2><slot name="heading">${t('heading')}</slot></h2>
            ${empty ? nothing : html`<span class="muted numbers">${this.#summary()}</span>`}
          </header>
          <div class="tools" part="toolbar" role="group" aria-label=${t('toolbar.label')}>
            <slot name="toolbar-start"></slot>
            <io-dropzone exportparts="dropzone, drop-overlay, picker-button" .i18n=${i18n} .area=${this}
              .accept=${acceptedTypes(this.accept, optimizer.limits)} ?large=${empty} .disabled=${this.#locked} .noDrop=${this.noDrop}
              .noPaste=${this.noPaste} .noFolder=${this.noFolder} @click=${this.#loadLimits} @dropzone-files=${this.#addFiles}
              @dropzone-dialog=${() => this.#live?.hold(DIALOG_SILENCE_MS)} @dropzone-drag=${this.#drag}>
              <slot name="empty" slot="empty">${emptyPicture(t(this.noDrop ? 'dropzone.title-pick' : 'dropzone.title'))}</slot>
              <slot name="dropzone-hint" slot="hint">${t('dropzone.hint')}</slot>
            </io-dropzone>
            ${empty ? nothing : workbench?.renderTools()}
            <slot name="toolbar-end"></slot>
            ${empty ? nothing : workbench?.renderMenu()}
          </div>
          </div>
          ${workbench?.renderNotices() ?? nothing}
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
    const { sessionHours: hours } = optimizer.limits;
    const kept = hours && optimizer.sessionId ? ` · ${i18n.t('kept', { hours })}` : '';
    return `${i18n.t('cost.images', { count: optimizer.counts.total })} · ${i18n.formatBytes(bytes)}${kept}`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'image-optimizer': ImageOptimizer;
  }
  interface HTMLElementEventMap extends ImageOptimizerEventMap {}
}
