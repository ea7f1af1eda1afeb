import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import type { ImageOptimizerEventMap } from '../../events.ts';
import type { Announcement, Item } from '../../state/index.ts';
import { controls, foundation, icon, tokens } from '../../styles/index.ts';
import { VERSION } from '../../version.ts';
import { emptyPicture, type FilesDetail, pictureStyles } from '../io-dropzone/index.ts';
import { ROW_PARTS } from '../io-list/index.ts';
import type { RowContext } from '../io-row/index.ts';
import { shellStyles } from './image-optimizer.styles.ts';
import { renderBar } from './render-bar.ts';
import { renderDialog } from './render-dialogs.ts';
import { renderNotices } from './render-notices.ts';
import { renderOutcome } from './render-outcome.ts';
import { renderSettings } from './render-settings.ts';
import { renderFilter, renderToolbar } from './render-toolbar.ts';
import { ShellElement } from './shell-element.ts';

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
export class ImageOptimizer extends ShellElement {
  static override styles = [tokens, foundation, ...controls, pictureStyles, shellStyles];
  static override properties: PropertyDeclarations = { itemActions: { attribute: false } };
  /** Version of the package: a page that loads several keeps the first. */
  static readonly version: string = VERSION;

  /** Adds something to each row, e.g. a link into the CMS. */
  declare itemActions: ((item: Item) => Node | TemplateResult | null | undefined) | null;

  #context: RowContext | null = null;

  constructor() {
    super();
    this.itemActions = null;
  }

  /** Opens the file dialog; browsers allow it only as the answer to a click or a key. */
  openPicker(): void {
    this.dropzone?.openPicker();
  }

  protected override announced(announcement: Announcement): void {
    this.live?.announce(announcement);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    super.willUpdate(changed);
    const { optimizer, i18n, mode, noDownload, locked, itemActions } = this;
    const context = { optimizer, i18n, mode, noDownload, locked, itemActions };
    const before = this.#context;
    if (before && (Object.keys(context) as (keyof typeof context)[]).every((key) => before[key] === context[key])) {
      return;
    }
    this.#context = {
      ...context,
      compare: (item) => void this.compareItem(item),
      download: (item, variant) => void this.download(item.id, variant),
    };
  }

  #take({ detail }: CustomEvent<FilesDetail>): void {
    void this.optimizer.addFiles(detail.files, detail.source);
  }

  #drag({ detail: entered }: CustomEvent<boolean>): void {
    this.mirrorDrag(entered);
    const text = this.i18n.t(entered ? 'dropzone.entered' : 'dropzone.left');
    this.live?.announce({ text, urgency: 'assertive' });
  }

  protected override render(): TemplateResult {
    const { i18n, optimizer } = this;
    const { t } = i18n;
    const { total } = optimizer.counts;
    const shell = this.shell();
    const empty = total === 0;
    return html`
      <div class="base" part="base" dir=${i18n.dir} lang=${i18n.locale}>
        <div class="shell ${empty ? 'empty' : ''}">
          <header>
            <h2><slot name="heading">${t('heading')}</slot></h2>
            ${empty ? nothing : html`<span class="muted numbers">${this.#summary()}</span>`}
          </header>
          ${renderNotices(shell)}
          <div class="tools" part="toolbar" role=${empty ? nothing : 'group'} aria-label=${empty ? nothing : t('toolbar.label')}>
            <slot name="toolbar-start"></slot>
            <io-dropzone exportparts="dropzone, drop-overlay, picker-button" .i18n=${i18n} .area=${this}
              .accept=${this.accept} ?large=${empty} .disabled=${this.locked} .noDrop=${this.noDrop}
              .noPaste=${this.noPaste} .noFolder=${this.noFolder} @dropzone-files=${this.#take}
              @dropzone-dialog=${this.holdAnnouncements} @dropzone-drag=${this.#drag}>
              <slot name="empty" slot="empty">${emptyPicture(t(this.noDrop ? 'dropzone.title-pick' : 'dropzone.title'))}</slot>
              <slot name="dropzone-hint" slot="hint">${t('dropzone.hint')}</slot>
            </io-dropzone>
            ${empty ? nothing : renderToolbar(shell)}
            <slot name="toolbar-end"></slot>
            ${
              empty || this.locked
                ? nothing
                : html`<button type="button" class="button quiet danger clear" part="button button-danger"
                    @click=${() => this.act('confirm-clear')}>${icon('trash')}${t('toolbar.clear')}</button>`
            }
          </div>
          ${
            empty
              ? nothing
              : html`
                ${renderOutcome(shell)}
                <div class="columns">
                  <div class="work">
                    <div class="above">${renderFilter(shell)}
                      <button type="button" class="button skip" part="button" @click=${() => this.act('skip-list')}>
                        ${t('list.skip', { count: total })}</button></div>
                    <io-list class="rows" exportparts="list, ${ROW_PARTS}" .context=${this.#context}
                      @list-empty-focus=${() => this.dropzone?.focus()}></io-list>
                  </div>
                  ${renderSettings(shell)}
                </div>
                <div class="bar">${renderBar(shell)}</div>
              `
          }
          <div class="footer" part="footer"><slot name="footer"></slot></div>
        </div>
        ${renderDialog(shell)}
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
