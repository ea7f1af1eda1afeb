import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { type Item, isMissingText } from '../../state/index.ts';
import { buttons, feedback, fields, foundation, icon } from '../../styles/index.ts';
import { createFieldEditor, type RowContext, renderFields, type TextField } from '../io-row/index.ts';
import { renderLanguages } from '../render-languages.ts';
import { renderFocalPoint, renderPicture } from './focal-point.ts';
import { reviewStyles } from './io-review.styles.ts';
import { renderAbout, renderEnd, renderSteps } from './render-parts.ts';
import { createReviewPictures, type ReviewPictures } from './review-pictures.ts';
import { commandOf, describeEnd, describeImage, isReviewed } from './review-steps.ts';

/**
 * Review of texts, one image at a time: the picture large with its texts beside it. Enter accepts the texts and shows the next
 * image to be reviewed; Ctrl+D marks it as decorative; Page Up and Page Down, and Ctrl with an arrow, show other images. The focus
 * stays in the same control. Each step is told by a live region of its own, since the page behind a dialog is silent.
 *
 * @tag io-review
 * @fires {Event} review-close - The review shall be closed.
 * @csspart field - A label with its field.
 * @csspart input - A field.
 * @csspart badge - State in a word.
 * @csspart progress - Progress bar.
 * @csspart button - Any button.
 * @csspart button-primary - Primary button.
 */
export class IoReview extends LitElement {
  static override styles = [foundation, buttons, fields, feedback, reviewStyles];
  static override properties = {
    context: { attribute: false },
    ids: { attribute: false },
    start: { attribute: false },
    item: { state: true },
    picture: { state: true },
    told: { state: true },
    finished: { state: true },
  };

  /** Values that rows share. */
  declare context: RowContext;
  /** Ids of the images to review, in their order. */
  declare ids: readonly string[];
  /** Id of the first image to show; null: the first without accepted texts. */
  declare start: string | null;
  declare protected item: Item | undefined;
  /** Picture of the shown image; null while it is decoded, or if it cannot be. */
  declare protected picture: HTMLCanvasElement | null;
  declare protected told: string;
  declare protected finished: boolean;

  /** Images that were accepted here, or had nothing to accept. */
  readonly #done = new Set<string>();
  #pictures: ReviewPictures | null = null;
  #unsubscribe: (() => void) | null = null;
  /** True if a control had the focus before an update. */
  #hadFocus = false;
  readonly #editor = createFieldEditor({
    commit: (field, value) => this.item && this.#optimizer.setMetadata(this.item.id, field, value),
    changed: () => this.requestUpdate(),
  });

  constructor() {
    super();
    Object.assign(this, { ids: [], start: null, picture: null, told: '', finished: false });
  }

  get #optimizer() {
    return this.context.optimizer;
  }

  /** Shows the first image and focuses its text, or on touch screens the button that accepts it. */
  async begin(): Promise<void> {
    this.#pictures = createReviewPictures(this.#optimizer);
    for (const { id } of this.#items().filter(isReviewed)) this.#done.add(id);
    this.#show(this.start ?? this.#nextOpen(-1) ?? this.ids[0]);
    await this.updateComplete;
    this.#focus(matchMedia('(pointer: coarse)').matches ? '.accept' : '#alt');
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#editor.end();
    this.#unsubscribe?.();
    this.#pictures?.keep([]);
  }

  #items(): Item[] {
    return this.ids.flatMap((id) => this.#optimizer.items.get(id) ?? []);
  }

  #focus(selector: string): void {
    this.renderRoot.querySelector<HTMLElement>(selector)?.focus();
  }

  get #place(): number {
    return this.item ? this.ids.indexOf(this.item.id) : this.ids.length;
  }

  /** Id of the next image to be reviewed after a place, else of the first one. */
  #nextOpen(place: number): string | undefined {
    const open = this.#items().filter(({ id }) => !this.#done.has(id));
    return (open.find(({ id }) => this.ids.indexOf(id) > place) ?? open[0])?.id;
  }

  #show(id: string | undefined, result = ''): void {
    this.#editor.end();
    this.#unsubscribe?.();
    this.item = id ? this.#optimizer.items.get(id) : undefined;
    this.finished = !this.item;
    this.picture = null;
    const { item } = this;
    if (item) {
      this.#unsubscribe = this.#optimizer.items.subscribeItem(item.id, (after: Item) => this.#changed(after));
      this.#loadPicture(item);
      // The focused field now belongs to this image.
      const field = this.#focusedField;
      if (field) this.#editor.begin(field, item.metadata[field] ?? '');
    }
    this.#tell(result, this.#describe());
  }

  #loadPicture(item: Item): void {
    const place = this.#place;
    const near = [item.id, this.#nextOpen(place), this.ids[place + 1], this.ids[place - 1]];
    this.#pictures?.keep([...new Set(near)].flatMap((id) => (id && this.#optimizer.items.get(id)) || []));
    void this.#pictures?.of(item).then((picture) => {
      if (this.item?.id === item.id) this.picture = picture;
    });
  }

  #changed(after: Item): void {
    const uploaded = !this.item?.imageId && after.imageId;
    this.item = after;
    const { field } = this.#editor;
    if (field) this.#editor.refresh(after.metadata[field] ?? '');
    if (uploaded && !this.picture) this.#loadPicture(after);
  }

  get #focusedField(): TextField | undefined {
    const active = (this.renderRoot as ShadowRoot).activeElement as HTMLElement | null;
    return active?.dataset.text as TextField | undefined;
  }

  /** Says what happened and what is shown now. A text that repeats is made different, so that it is heard again. */
  #tell(...parts: string[]): void {
    const text = parts.filter(Boolean).join(' ');
    this.told = this.told === text ? `${text}\u00a0` : text;
  }

  #describe(): string {
    const { item } = this;
    const { i18n } = this.context;
    if (!item) return describeEnd(this.#items(), this.#done, i18n);
    return `${this.#position}: ${describeImage(item, this.#done.has(item.id), i18n)}`;
  }

  get #position(): string {
    return this.context.i18n.t('reviewing.position', { index: this.#place + 1, count: this.ids.length });
  }

  #accept(): void {
    const { item } = this;
    if (!item) return;
    const { t } = this.context.i18n;
    this.#editor.commit();
    const now = this.#optimizer.items.get(item.id);
    if (now && isMissingText(now)) {
      this.#tell(`${item.name}.`, t('reviewing.needs-text'));
      this.#focus('#alt');
      return;
    }
    this.#optimizer.acceptAll([item.id]);
    this.#done.add(item.id);
    this.#show(this.#nextOpen(this.#place), t('reviewing.accepted'));
  }

  /** Accepts all texts there are, and shows an image without one. */
  #acceptAll(): void {
    this.#editor.commit();
    const rest = this.#items().filter((item) => !this.#done.has(item.id) && !isMissingText(item));
    this.#optimizer.acceptAll(rest.map(({ id }) => id));
    for (const { id } of rest) this.#done.add(id);
    this.#show(this.#nextOpen(this.#place), this.context.i18n.t('announce.accepted', { count: rest.length }));
  }

  #step(by: 1 | -1): void {
    const { ids } = this;
    let place = this.#place + by;
    // Images may have been removed meanwhile.
    while (ids[place] && !this.#optimizer.items.get(ids[place] as string)) place += by;
    if (ids[place]) this.#show(ids[place]);
    else this.#tell(this.#describe());
  }

  #setDecorative(decorative: boolean): void {
    const { item } = this;
    if (!item) return;
    this.#editor.commit();
    this.#optimizer.setDecorative(item.id, decorative);
    const { metadata } = this.#optimizer.items.get(item.id) ?? item;
    if (this.#focusedField === 'alt') this.#editor.begin('alt', metadata.alt ?? '');
    this.item = this.#optimizer.items.get(item.id);
    this.#tell(this.#describe());
  }

  #onKeydown(event: KeyboardEvent): void {
    const command = commandOf(event);
    if (!command || (command === 'revert' && !this.#editor.revert())) return;
    event.preventDefault();
    event.stopPropagation();
    if (command === 'revert') this.#tell(`${this.item?.name}.`, this.context.i18n.t('row.reverted'));
    else if (command === 'next' || command === 'previous') this.#step(command === 'next' ? 1 : -1);
    // A held key would accept unread texts.
    else if (event.repeat) return;
    else if (command === 'accept') this.#accept();
    else this.#setDecorative(!this.item?.metadata.decorative);
  }

  #onInput({ target }: Event): void {
    const { dataset, value } = target as HTMLInputElement;
    if (!dataset.text || !this.item) return;
    // A text for a decorative image makes it an image with a meaning.
    if (dataset.text === 'alt' && this.item.metadata.decorative && value.trim()) {
      this.#optimizer.setDecorative(this.item.id, false);
    }
    this.#editor.type(value);
  }

  #onFocus({ target }: Event): void {
    const { dataset, value } = target as HTMLInputElement;
    if (dataset.text) this.#editor.begin(dataset.text as TextField, value);
  }

  protected override willUpdate(): void {
    this.#hadFocus = Boolean((this.renderRoot as ShadowRoot).activeElement);
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.get('finished') !== undefined) this.#focus(this.finished ? '.close' : '#alt');
    // A button that goes, e.g. "Try again", takes the focus with it.
    else if (this.#hadFocus && !(this.renderRoot as ShadowRoot).activeElement) this.#focus('#alt');
  }

  protected override render(): TemplateResult {
    return html`
      <div class="frame">${this.#renderHead()} ${
        this.item
          ? this.#renderImage(this.item)
          : renderEnd(this.#describe(), this.context.i18n, {
              close: () => this.#close(),
              back: () => this.#show(this.#items().at(-1)?.id),
            })
      }</div>
      <p class="visually-hidden" role="status" aria-live="polite" aria-atomic="true">${this.told}</p>
    `;
  }

  #renderHead(): TemplateResult {
    const { t } = this.context.i18n;
    const items = this.#items();
    const left = items.filter(({ id }) => !this.#done.has(id)).length;
    const waiting = t('reviewing.left', { count: left });
    return html`
      <header>
        <p class="where"><strong class="numbers">${this.item ? this.#position : t('reviewing.title')}</strong>
          <span class="muted numbers">${waiting}</span></p>
        ${renderLanguages(this.#optimizer, this.context.i18n)}
        ${this.item ? renderSteps(this.context.i18n, { back: Boolean(this.ids[this.#place - 1]), on: Boolean(this.ids[this.#place + 1]) }, (by) => this.#step(by)) : nothing}
        <button type="button" class="button quiet icon-only" part="button" aria-label=${t('action.close')}
          title=${t('action.close')} @click=${() => this.#close()}>${icon('close')}</button>
        <progress part="progress" max=${items.length || 1} value=${items.length - left} aria-label=${waiting}></progress>
      </header>
    `;
  }

  #renderImage(item: Item): TemplateResult {
    const { t } = this.context.i18n;
    return html`
      ${renderPicture(item, this.context, this.picture)}
      <div class="side" @keydown=${this.#onKeydown} @input=${this.#onInput} @focusin=${this.#onFocus}
        @focusout=${() => this.#editor.end()}>
        ${renderAbout(item, this.context, this.#done.has(item.id))}
        ${item.error ? html`<p class="error" id="error">${item.error.message}</p>` : nothing}
        ${renderFields(item, this.context, this.#editor.draft, 'about')}
        ${renderFocalPoint(item, this.context)}
        <p class="hint keys">${t('reviewing.keys')}</p>
        <div class="ways">
          <button type="button" class="button primary large accept" part="button button-primary"
            @click=${() => this.#accept()}>${icon('check')}${t('reviewing.accept')}</button>
        </div>
        <button type="button" class="button quiet" part="button" @click=${() => this.#acceptAll()}>${t('toolbar.accept-all')}</button>
      </div>
    `;
  }

  #close(): void {
    this.dispatchEvent(new Event('review-close'));
  }
}
