import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { EditableField, Item } from '../../state/index.ts';
import { buttons, feedback, fields, foundation, icon } from '../../styles/index.ts';
import { describeFacts, describeReview, describeStatus, isBusy } from './describe-item.ts';
import { createFieldEditor, type TextField } from './edit-field.ts';
import { rowStyles } from './io-row.styles.ts';
import { renderFields } from './render-fields.ts';
import { renderResult } from './render-result.ts';
import type { RowContext } from './row-context.ts';
import type { ThumbQueue } from './thumb-queue.ts';

/** Controls of a row that can be given the focus. */
export type RowControl = EditableField | 'compare' | 'download' | 'retry' | 'remove';

/**
 * One image: its picture, what it is called and says, what is being done with it, and what can be done.
 *
 * @tag io-row
 * @fires {Event} row-remove - The button "Remove" was pressed.
 * @csspart row - Everything.
 * @csspart row-error - What went wrong.
 * @csspart thumb - The picture.
 * @csspart field - A label with its field.
 * @csspart input - A field.
 * @csspart badge - A small word about state or origin.
 * @csspart progress - The bar of what is being done.
 * @csspart status - The line of name, size and state.
 * @csspart button - Any button.
 * @csspart button-danger - "Remove".
 */
export class IoRow extends LitElement {
  static override styles = [foundation, buttons, fields, feedback, rowStyles];
  static override properties = {
    context: { attribute: false },
    itemId: { attribute: false },
    brief: { attribute: false },
    item: { state: true },
    picture: { state: true },
  };

  /** The flow, the texts and what is allowed; the same for all rows. */
  declare context: RowContext;
  /** Which item is shown. */
  declare itemId: string;
  /** Only names, texts, size and state are drawn, as for a row that nobody sees. */
  declare brief: boolean;
  declare protected item: Item | undefined;
  declare protected picture: HTMLCanvasElement | null;

  #unsubscribe: (() => void) | null = null;
  #thumbs: ThumbQueue | null = null;
  #inSight = false;
  readonly #editor = createFieldEditor({
    commit: (field, value) => this.context.optimizer.setMetadata(this.itemId, field, value),
    changed: () => this.requestUpdate(),
  });

  constructor() {
    super();
    this.brief = false;
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
    // Pixels cost more than making them again.
    if (this.brief) this.picture = null;
    if (changed.has('itemId') || changed.get('context')?.optimizer !== this.context.optimizer) {
      if (changed.has('itemId') || changed.has('context')) this.#subscribe();
    }
  }

  protected override updated(changed: PropertyValues): void {
    // A picture the browser cannot decode is at the server once it is uploaded.
    if (changed.has('item') || changed.has('brief')) this.#requestThumb();
  }

  #subscribe(): void {
    this.#unsubscribe?.();
    const { items } = this.context.optimizer;
    this.item = items.get(this.itemId);
    this.#unsubscribe = items.subscribeItem(this.itemId, (item: Item) => {
      this.item = item;
    });
  }

  /** The row came into sight. */
  showThumb(thumbs: ThumbQueue): void {
    this.#thumbs = thumbs;
    this.#inSight = true;
    this.#requestThumb();
  }

  /** The row went out of sight. */
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

  /** Puts the focus on a control; one that is not there now gives it to the next best. */
  focusControl(control: RowControl): void {
    const find = (name: string) =>
      this.renderRoot.querySelector<HTMLElement>(`[data-control='${name}']:not(:disabled)`);
    (find(control) ?? find('alt') ?? find('filename') ?? find('remove'))?.focus();
  }

  /** The control that has the focus, if it is in this row. */
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
      // One line each: a line break would be a space in an attribute anyway.
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
    return this.brief ? this.#renderBrief(item) : this.#renderWhole(item);
  }

  #renderBrief(item: Item): TemplateResult {
    const { i18n } = this.context;
    const { filename, title, alt } = item.metadata;
    const state = item.error?.message ?? describeStatus(item, i18n)?.text;
    // With the texts, so that a search in the page finds them as it finds those in fields.
    const parts = [...describeFacts(item, i18n), state, filename, title, alt].filter(Boolean);
    const facts = parts.map((part) => ` · ${part}`).join('');
    // No white space, no markers, few boxes: there are hundreds of it.
    return html`<p class="brief" part="status"><bdi class="name" .textContent=${item.relativePath || item.name}></bdi><span class="facts" .textContent=${facts}></span></p>`;
  }

  #renderWhole(item: Item): TemplateResult {
    const { context } = this;
    const { i18n, locked } = context;
    const status = describeStatus(item, i18n);
    // Nobody describes what can never be uploaded.
    const hopeless = item.status === 'failed' && !item.image && !item.error?.retryable;
    const review = item.needsReview.length > 0 && !locked ? describeReview(item, i18n) : '';
    return html`
      <div class="row" part="row" role="group" aria-labelledby="name" @focusin=${this.#onFocus}>
        <div class="thumb" part="thumb">
          ${this.picture ?? icon('image')}
        </div>
        <div class="head" part="status">
          <div class="caption">
            <p class="name" id="name"><bdi>${item.relativePath || item.name}</bdi></p>
            <p class="facts numbers">${describeFacts(item, i18n).map((fact, place) => html`${place ? ' · ' : ''}<bdi>${fact}</bdi>`)}</p>
          </div>
          ${status ? html`<span class="badge ${status.tone} numbers" part="badge">${status.text}</span>` : nothing}
        </div>
        <div class="actions">${this.#renderActions(item)}</div>
        ${isBusy(item) ? this.#renderProgress(item, status?.text ?? '') : nothing}
        <div class="body" @keydown=${this.#onKeydown}
          @focusout=${() => this.#editor.end()} @input=${this.#onInput}>
          ${item.error ? this.#renderError(item) : nothing}
          ${
            review
              ? html`<p class="review">${icon('alert')}<span>${review}
                  <button type="button" class="button quiet" part="button" aria-describedby="name"
                    @click=${() => context.optimizer.acceptAll([item.id])}>${i18n.t('row.accept')}</button></span></p>`
              : nothing
          }
          ${hopeless ? nothing : renderFields(item, context, this.#editor.draft)}
          ${item.result ? renderResult(item, item.result, context) : nothing}
        </div>
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
      ${
        item.sample || item.result
          ? html`<button type="button" class="button quiet icon-only" part="button" data-control="compare"
              aria-label=${label('row.compare')} title=${t('action.compare')} @click=${() => compare(item)}>
              ${icon('compare')}</button>`
          : nothing
      }
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
