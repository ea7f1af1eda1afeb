import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { EditableField, Item } from '../../state/index.ts';
import { buttons, feedback, fields, foundation, icon } from '../../styles/index.ts';
import { cardStyles } from './card.styles.ts';
import { describeFacts, describeReview, describeStatus, isBusy } from './describe-item.ts';
import { createFieldEditor, type TextField } from './edit-field.ts';
import { fieldPartStyles, rowStyles } from './io-row.styles.ts';
import { renderCard, renderSelect } from './render-card.ts';
import { renderFields } from './render-fields.ts';
import { renderFiles, renderSaving, renderWays } from './render-result.ts';
import type { RowContext } from './row-context.ts';
import type { ThumbQueue } from './thumb-queue.ts';

/** Controls of a row that can be focused. */
export type RowControl = EditableField | 'open' | 'select' | 'compare' | 'download' | 'retry' | 'more' | 'remove';

/**
 * Row of one image in one line: thumbnail, texts, state and actions. It opens in place for what needs more room: what the file
 * carries, the reasons for a review, and all files of the result.
 *
 * @tag io-row
 * @fires {CustomEvent<RowSelectDetail>} row-select - The box that selects the image was pressed.
 * @fires {Event} row-remove - The button "Remove" was pressed.
 * @csspart row - Outermost box.
 * @csspart row-error - Error of the image.
 * @csspart thumb - Thumbnail.
 * @csspart field - A label with its field.
 * @csspart input - A field.
 * @csspart badge - State in a word.
 * @csspart progress - Progress bar.
 * @csspart status - Name, size and state.
 * @csspart button - Any button.
 * @csspart button-danger - "Remove".
 */
export class IoRow extends LitElement {
  static override styles = [foundation, buttons, fields, feedback, fieldPartStyles, rowStyles, cardStyles];
  static override properties = {
    context: { attribute: false },
    itemId: { attribute: false },
    brief: { attribute: false },
    item: { state: true },
    open: { state: true },
    picture: { state: true },
  };

  /** Values all rows share. */
  declare context: RowContext;
  /** Id of the shown item. */
  declare itemId: string;
  /** Renders only names, texts, size and state, for rows out of sight. */
  declare brief: boolean;
  declare protected item: Item | undefined;
  /** Shows all that the row knows. */
  declare protected open: boolean;
  declare protected picture: HTMLCanvasElement | null;

  #unsubscribe: (() => void) | null = null;
  #thumbs: ThumbQueue | null = null;
  #inSight = false;
  /** True if a control had the focus before an update. */
  #hadFocus = false;
  readonly #editor = createFieldEditor({
    commit: (field, value) => this.context.optimizer.setMetadata(this.itemId, field, value),
    changed: () => this.requestUpdate(),
    typed: (field, value) => this.context.optimizer.keepDraft(this.itemId, field, value),
  });

  constructor() {
    super();
    this.brief = false;
    this.open = false;
    this.picture = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#subscribe();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#editor.commit();
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    this.hideThumb();
    this.#thumbs?.drop(this.itemId);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    this.#hadFocus = Boolean((this.renderRoot as ShadowRoot).activeElement);
    // Keeping the pixels costs more than decoding them again.
    if (this.brief) this.picture = null;
    if (changed.has('itemId') || changed.get('context')?.optimizer !== this.context.optimizer) {
      if (changed.has('itemId') || changed.has('context')) this.#subscribe();
    }
  }

  protected override updated(changed: PropertyValues): void {
    // The service has a preview of formats the browser cannot decode, once they are uploaded.
    if (changed.has('item') || changed.has('brief')) this.#requestThumb();
    // A button that goes, e.g. "Try again", takes the focus with it. Touch screens would open their keyboard for a field.
    if (this.#hadFocus && !(this.renderRoot as ShadowRoot).activeElement) this.focusControl('more');
  }

  #subscribe(): void {
    this.#unsubscribe?.();
    const { items } = this.context.optimizer;
    this.item = items.get(this.itemId);
    this.#unsubscribe = items.subscribeItem(this.itemId, (item: Item) => {
      this.item = item;
    });
  }

  /** Requests the thumbnail; called if the row comes into sight. */
  showThumb(thumbs: ThumbQueue): void {
    this.#thumbs = thumbs;
    this.#inSight = true;
    this.#requestThumb();
  }

  /** Withdraws the request; called if the row leaves the sight. */
  hideThumb(): void {
    this.#inSight = false;
    this.#thumbs?.hide(this.itemId);
  }

  #requestThumb(): void {
    const place = this.renderRoot.querySelector('.thumb');
    if (!this.item || !place || !this.#inSight || this.picture) return;
    this.#thumbs?.show(this.item, place, (picture) => {
      this.picture = picture;
    });
  }

  /** Focuses a control, or another one if it is missing, disabled or not shown. */
  focusControl(control: RowControl): void {
    const find = (name: string) => {
      const found = this.renderRoot.querySelector<HTMLElement>(`[data-control='${name}']:not(:disabled)`);
      return found?.checkVisibility() ? found : null;
    };
    (find(control) ?? find('open') ?? find('alt') ?? find('filename') ?? find('remove'))?.focus();
  }

  /** Focused control of this row; null if there is none. */
  get focusedControl(): RowControl | null {
    const active = (this.renderRoot as ShadowRoot).activeElement as HTMLElement | null;
    return (active?.dataset.control as RowControl | undefined) ?? null;
  }

  #onFocus(event: FocusEvent): void {
    const control = event.target as HTMLInputElement;
    const { dataset, value } = control;
    this.context.focused(control);
    if (dataset.text) this.#editor.begin(dataset.text as TextField, value);
  }

  #onKeydown(event: KeyboardEvent): void {
    const { dataset } = event.target as HTMLInputElement;
    if (!dataset.text || event.isComposing) return;
    if (event.key === 'Enter') {
      // Texts have one line: attributes turn line breaks into spaces.
      event.preventDefault();
      this.#editor.commit();
    } else if (event.key === 'Escape' && this.#editor.revert()) {
      event.preventDefault();
      event.stopPropagation();
      this.context.optimizer.announce(this.context.i18n.t('row.reverted'));
    }
  }

  protected override render(): TemplateResult | typeof nothing {
    const { item } = this;
    if (!item) return nothing;
    if (this.brief) return this.#renderBrief(item);
    return this.context.grid ? renderCard(item, this.context, this.picture) : this.#renderExpanded(item);
  }

  #renderBrief(item: Item): TemplateResult {
    const { i18n, settings } = this.context;
    const { filename, title, alt } = item.metadata;
    const state = item.error?.message ?? describeStatus(item, i18n)?.text;
    // With the texts, so that a search in the page finds them.
    const parts = [...describeFacts(item, settings, i18n), state, filename, title, alt].filter(Boolean);
    const facts = parts.map((part) => ` · ${part}`).join('');
    // There are hundreds of these: no white space, few nodes.
    return html`<p class=${this.context.grid ? 'tile' : 'brief'} part="status"><bdi class="name" .textContent=${item.relativePath || item.name}></bdi><span class="facts" .textContent=${facts}></span></p>`;
  }

  #renderExpanded(item: Item): TemplateResult {
    const { context } = this;
    const { i18n, locked } = context;
    const status = describeStatus(item, i18n);
    // An image that can never be uploaded needs no texts. A file that is gone or has changed can be added again.
    const { status: state, image, error } = item;
    const hopeless = state === 'failed' && !image && !error?.retryable && !error?.serviceCode?.startsWith('file_');
    const review = item.needsReview.length > 0 && !locked ? describeReview(item, i18n) : '';
    return html`
      <div class="row ${this.open ? 'open' : context.compact ? 'low' : ''}" part="row" role="group" aria-labelledby="name" @focusin=${this.#onFocus}>
        <div class="lead">
          ${renderSelect(item, context)}
          <div class="thumb ${locked ? '' : 'opens'}" part="thumb" @click=${() => locked || context.review(item)}>
            ${this.picture ?? icon('image')}
          </div>
        </div>
        <div class="body" @keydown=${this.#onKeydown} @focusout=${() => this.#editor.end()} @input=${this.#onInput}>
          ${item.error ? this.#renderError(item) : nothing}
          ${hopeless ? nothing : renderFields(item, context, this.#editor.draft)}
        </div>
        <div class="about" part="status">
          <p class="name" id="name"><bdi>${item.relativePath || item.name}</bdi></p>
          ${status ? html`<span class="badge ${status.tone} numbers" part="badge">${status.text}</span>` : nothing}
          ${
            review
              ? html`<p class="review">${icon('alert')}<span>${review}</span>
                  <button type="button" class="button quiet" part="button" aria-describedby="name"
                    @click=${() => context.optimizer.acceptAll([item.id])}>${i18n.t('select.accept')}</button></p>`
              : nothing
          }
          ${item.result ? renderSaving(item.result, i18n) : nothing}
          <p class="facts numbers">${describeFacts(item, context.settings, i18n).map((fact, place) => html`${place ? ' · ' : ''}<bdi>${fact}</bdi>`)}</p>
        </div>
        <div class="actions">${this.#renderActions(item)}</div>
        ${isBusy(item) ? this.#renderProgress(item, status?.text ?? '') : nothing}
        ${item.result ? renderFiles(item, item.result, context) : nothing}
      </div>
    `;
  }

  #onInput(event: Event): void {
    const { dataset, value } = event.target as HTMLInputElement;
    if (dataset.text) this.#editor.type(value);
  }

  #renderProgress(item: Item, text: string): TemplateResult {
    const value = item.waiting || (item.progress === 0 && item.status !== 'uploading') ? nothing : item.progress;
    return html`<progress part="progress" max="1" value=${value} aria-label="${item.name}: ${text}"></progress>`;
  }

  #renderError(item: Item): TemplateResult {
    const { i18n, optimizer } = this.context;
    return html`
      <div class="failure" part="row-error">
        ${icon('alert')}
        <p class="error" id="error">${item.error?.message}</p>
        ${
          item.error?.retryable
            ? html`<button type="button" class="button" part="button" data-control="retry" aria-describedby="error"
                aria-label=${i18n.t('row.retry', { name: item.name })}
                @click=${() => void optimizer.retry([item.id])}>${i18n.t('action.retry')}</button>`
            : nothing
        }
      </div>
    `;
  }

  #renderActions(item: Item): TemplateResult {
    const { i18n, locked, compare, itemActions } = this.context;
    const { t } = i18n;
    const label = (key: string) => t(key, { name: item.name });
    return html`
      ${itemActions?.(item) ?? nothing}
      ${item.result ? renderWays(item, item.result, this.context) : nothing}
      ${
        item.sample || item.result
          ? html`<button type="button" class="button quiet icon-only" part="button" data-control="compare"
              aria-label=${label('row.compare')} title=${t('action.compare')} @click=${() => compare(item)}>
              ${icon('compare')}</button>`
          : nothing
      }
      <button type="button" class="button quiet icon-only more" part="button" data-control="more" aria-expanded=${this.open}
        aria-label=${label('row.more')}
        @click=${() => {
          this.open = !this.open;
        }}>${icon('down')}</button>
      ${
        locked
          ? nothing
          : html`<button type="button" class="button quiet icon-only" part="button button-danger" data-control="remove"
              aria-label=${label('row.remove')} title=${t('action.remove')}
              @click=${() => this.dispatchEvent(new Event('row-remove', { bubbles: true }))}>${icon('trash')}</button>`
      }
    `;
  }
}
