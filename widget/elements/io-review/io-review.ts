import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { type Item, isMissingText, unacceptedFields } from '../../state/index.ts';
import { buttons, feedback, fields, foundation, icon } from '../../styles/index.ts';
import { createFieldEditor, renderFields, type TextField } from '../io-row/index.ts';
import { createFilmStrip } from './film-strip.ts';
import { renderFocalPoint, renderPicture } from './focal-point.ts';
import { reviewStyles } from './io-review.styles.ts';
import { type AfterReview, renderAbout, renderEnd, renderHead } from './render-parts.ts';
import { ReviewElement } from './review-element.ts';
import { createReviewPictures, type ReviewPictures } from './review-pictures.ts';
import { ReviewQueue } from './review-queue.ts';
import { commandOf, describeEnd, describeImage } from './review-steps.ts';

/**
 * Review of texts, one image at a time: the picture large with its texts beside it, and a film strip of all images. Enter accepts the
 * texts and shows the next image to be reviewed; typing replaces a suggested alternative text, which is selected; Ctrl+D marks it as
 * decorative; Page Up and Page Down, and Ctrl with an arrow, show other images. The focus stays in the same control. Each step is told
 * by a live region of its own, since the page behind a dialog is silent.
 *
 * @tag io-review
 * @fires {CustomEvent<AfterReview>} review-close - The review shall be closed; its detail names what comes next.
 * @csspart field - A label with its field.
 * @csspart input - A field.
 * @csspart badge - State in a word.
 * @csspart progress - Progress bar.
 * @csspart button - Any button.
 * @csspart button-primary - Primary button.
 */
export class IoReview extends ReviewElement {
  static override styles = [foundation, buttons, fields, feedback, reviewStyles];
  #queue: ReviewQueue | null = null;
  #pictures: ReviewPictures | null = null;
  #strip: ReturnType<typeof createFilmStrip> | null = null;
  /** The text of the shown image is new and was not selected yet. */
  #fresh = false;
  #unsubscribe: (() => void) | null = null;
  /** True if a control had the focus before an update. */
  #hadFocus = false;
  readonly #editor = createFieldEditor({
    commit: (field, value) => this.item && this.#optimizer.setMetadata(this.item.id, field, value),
    changed: () => this.requestUpdate(),
  });

  get #optimizer() {
    return this.context.optimizer;
  }

  /** Shows the first image and focuses its text, or on touch screens the button that accepts it. */
  async begin(): Promise<void> {
    this.#pictures = createReviewPictures(this.#optimizer);
    this.#strip = createFilmStrip(this.#optimizer, () => this.requestUpdate());
    this.#queue = new ReviewQueue(this.#optimizer, this.ids);
    this.#show(this.start ?? this.#queue.nextOpen(-1) ?? this.ids[0]);
    await this.updateComplete;
    this.focusFirst();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#editor.end();
    this.#unsubscribe?.();
    this.#pictures?.keep([]);
  }

  get #items(): Item[] {
    return this.#queue?.items() ?? [];
  }

  get #done(): ReadonlySet<string> {
    return this.#queue?.done ?? new Set();
  }

  get #place(): number {
    return this.item ? this.ids.indexOf(this.item.id) : this.ids.length;
  }

  #show(id: string | undefined, result = ''): void {
    this.#editor.end();
    this.#unsubscribe?.();
    this.item = id ? this.#optimizer.items.get(id) : undefined;
    this.finished = !this.item;
    this.picture = null;
    this.asked = false;
    this.#fresh = true;
    const { item } = this;
    if (item) {
      this.#unsubscribe = this.#optimizer.items.subscribeItem(item.id, (after: Item) => this.#changed(after));
      this.#loadPicture(item);
      // The focused field now belongs to this image.
      const field = this.focusedField;
      if (field) this.#editor.begin(field, item.metadata[field] ?? '');
    }
    this.tell(result, this.#describe());
  }

  #loadPicture(item: Item): void {
    const place = this.#place;
    const near = [item.id, this.#queue?.nextOpen(place), this.ids[place + 1], this.ids[place - 1]];
    this.#pictures?.keep([...new Set(near)].flatMap((id) => (id && this.#optimizer.items.get(id)) || []));
    void this.#pictures?.of(item).then((picture) => {
      if (this.item?.id === item.id) this.picture = picture;
    });
  }

  #changed(after: Item): void {
    const uploaded = !this.item?.imageId && after.imageId;
    this.item = after;
    const { field } = this.#editor;
    const draft = field && this.#editor.draft(field);
    if (field) this.#editor.refresh(after.metadata[field] ?? '');
    if (field && draft !== this.#editor.draft(field)) this.#fresh = true;
    if (uploaded && !this.picture) this.#loadPicture(after);
  }

  #describe(): string {
    const { item } = this;
    const { i18n } = this.context;
    if (!item) return describeEnd(this.#items, this.#done, i18n);
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
      this.tell(`${item.name}.`, t('reviewing.needs-text'));
      this.focusOn('#alt');
      return;
    }
    this.#queue?.accept([item]);
    this.#show(this.#queue?.nextOpen(this.#place), t('reviewing.accepted'));
  }

  /** Accepts all texts there are, at the second press, and shows an image without one. A double click is one press. */
  #acceptAll({ detail }: MouseEvent): void {
    if (detail > 1) return;
    this.#editor.commit();
    const rest = this.#queue?.rest() ?? [];
    if (!this.asked) {
      this.asked = true;
      this.tell(this.context.i18n.t('reviewing.accept-rest', { count: rest.length }));
      return;
    }
    this.#queue?.accept(rest);
    this.#show(this.#queue?.nextOpen(this.#place), this.context.i18n.t('announce.accepted', { count: rest.length }));
  }

  #step(by: 1 | -1): void {
    const id = this.#queue?.beside(this.#place, by);
    if (id) this.#show(id);
    else this.tell(this.#describe());
  }

  #setDecorative(decorative: boolean): void {
    const { item } = this;
    if (!item) return;
    this.#editor.commit();
    this.#optimizer.setDecorative(item.id, decorative);
    const { metadata } = this.#optimizer.items.get(item.id) ?? item;
    this.#fresh = true;
    if (this.focusedField === 'alt') this.#editor.begin('alt', metadata.alt ?? '');
    this.item = this.#optimizer.items.get(item.id);
    this.tell(this.#describe());
  }

  #onKeydown(event: KeyboardEvent): void {
    const command = commandOf(event);
    if (!command || (command === 'revert' && !this.#editor.revert())) return;
    event.preventDefault();
    event.stopPropagation();
    if (command === 'revert') this.tell(`${this.item?.name}.`, this.context.i18n.t('row.reverted'));
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
    // A click puts the caret afterwards.
    if (dataset.text === 'alt') this.#select();
  }

  /** Selects a suggested text, so that typing replaces it. A person's text stays unless they select it. */
  #select(): void {
    const { item } = this;
    if (item && unacceptedFields(item).includes('alt')) this.find<HTMLTextAreaElement>('#alt')?.select();
  }

  protected override willUpdate(): void {
    this.#hadFocus = Boolean((this.renderRoot as ShadowRoot).activeElement);
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.get('finished') !== undefined) this.focusOn(this.finished ? '.close' : '#alt');
    // A button that goes, e.g. "Try again", takes the focus with it.
    else if (this.#hadFocus && !(this.renderRoot as ShadowRoot).activeElement) this.focusOn('#alt');
    if (this.#fresh && this.focusedField === 'alt') this.#select();
    this.#fresh = false;
    if (changed.has('item')) this.find('[aria-current=true]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }

  protected override render(): TemplateResult {
    const { item } = this;
    return html`
      <div class="frame">${renderHead(this.context, {
        position: item ? this.#position : '',
        done: this.#items.filter(({ id }) => this.#done.has(id)).length,
        count: this.ids.length,
        back: Boolean(this.ids[this.#place - 1]),
        on: Boolean(this.ids[this.#place + 1]),
        step: (by) => this.#step(by),
        close: () => this.#close(),
      })} ${
        item
          ? this.#renderImage(item)
          : renderEnd(
              this.#describe(),
              this.context,
              { on: (next) => this.#close(next), back: () => this.#show(this.#items.at(-1)?.id) },
              this.noSample,
            )
      }</div>
      <p class="visually-hidden" role="status" aria-live="polite" aria-atomic="true">${this.told}</p>
    `;
  }

  #renderImage(item: Item): TemplateResult {
    const { i18n } = this.context;
    const { t } = i18n;
    const items = this.#items;
    const show = (id: string) => {
      this.#show(id);
      this.focusFirst();
    };
    return html`
      ${renderPicture(item, this.context, this.picture)}
      ${this.#strip?.({ items, place: items.findIndex(({ id }) => id === item.id), done: this.#done, show }, i18n)}
      <div class="side" @keydown=${this.#onKeydown} @input=${this.#onInput} @focusin=${this.#onFocus}
        @focusout=${() => this.#leave()}>
        ${renderAbout(item, this.context, this.#done.has(item.id))}
        ${item.error ? html`<p class="error" id="error">${item.error.message}</p>` : nothing}
        ${renderFields(item, this.context, this.#editor.draft, 'about')}
        ${renderFocalPoint(item, this.context)}
        <p class="hint keys">${t('reviewing.keys')}</p>
        <div class="ways">
          <button type="button" class="button primary large accept" part="button button-primary"
            @click=${() => this.#accept()}>${icon('check')}${t('reviewing.accept')}</button>
        </div>
        <button type="button" class="button quiet" part="button" @click=${this.#acceptAll}>${
          this.asked ? t('reviewing.accept-rest', { count: this.#queue?.rest().length ?? 0 }) : t('toolbar.accept-all')
        }</button>
      </div>
    `;
  }

  #leave(): void {
    this.asked = false;
    this.#editor.end();
  }

  #close(detail: AfterReview = null): void {
    this.dispatchEvent(new CustomEvent('review-close', { detail }));
  }
}
