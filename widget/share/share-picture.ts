import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { SharedImage } from '#contract';
import type { ComparePair } from '../elements/io-compare/index.ts';
import { createI18n, type I18n, loadLocale } from '../i18n/index.ts';
import { controls, foundation, icon } from '../styles/index.ts';
import type { ShareClient } from './share-client.ts';
import { pictureStyles } from './share-picture.styles.ts';

/** Pixels of the picture in a folded line, of the one beside the texts, and of the one that stands in for a file that the browser cannot show. */
const FOLDED = 160;
const PREVIEW = 640;
const LARGE = 2048;
/** Difference of the shapes of both files from which a divider would compare other places. */
const SAME_SHAPE = 0.02;
/** Not among the icons of the element, which does not show it. */
const EXPAND = html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d="M12 3.5h4.5V8M8 16.5H3.5V12M16.5 3.5 11.5 8.5M3.5 16.5l5-5" /></svg>`;

/** The picture of a shared image, with both files in one another's place behind a divider, and a closer look at them. */
export class SharePicture extends LitElement {
  static override styles = [foundation, ...controls, pictureStyles];
  static override properties = {
    i18n: { attribute: false },
    client: { attribute: false },
    image: { attribute: false },
    small: { type: Boolean, reflect: true },
    still: { state: true },
    sides: { state: true },
    fault: { state: true },
    close: { state: true },
  };

  declare i18n: I18n;
  declare client: ShareClient;
  declare image: SharedImage;
  /** True: a thumbnail without controls. */
  declare small: boolean;
  /** The decoded preview; null while it is loaded. */
  declare protected still: HTMLImageElement | 'failed' | null;
  /** Both files while they are compared. */
  declare protected sides: { before: HTMLImageElement; after: HTMLImageElement } | 'loading' | null;
  declare protected fault: boolean;
  /** The pair of the closer look, with the comparison's own texts; null: it is closed. */
  declare protected close: { pair: ComparePair; i18n: I18n } | null;
  #seen: IntersectionObserver | null = null;
  /** Pixels of the preview that was asked for last. */
  #asked = 0;
  #urls: string[] = [];

  constructor() {
    super();
    this.small = false;
    this.still = null;
    this.sides = null;
    this.fault = false;
    this.close = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.still) return;
    const showOnce = (entries: IntersectionObserverEntry[]) => {
      if (entries.some((entry) => entry.isIntersecting)) void this.#show();
    };
    this.#seen = new IntersectionObserver(showOnce, { rootMargin: '600px' });
    this.#seen.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#seen?.disconnect();
    this.#release();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('small')) return;
    if (this.small) this.sides = null;
    else if (this.#asked === FOLDED) void this.#show();
  }

  override updated(): void {
    const dialog = this.renderRoot.querySelector('dialog');
    if (dialog && !dialog.open) dialog.showModal();
  }

  async #show(): Promise<void> {
    this.#seen?.disconnect();
    const { texts, id } = this.image;
    const width = this.small ? FOLDED : PREVIEW;
    this.#asked = width;
    try {
      const still = await this.#decode(await this.client.preview(id, width));
      still.alt = texts.decorative ? '' : (texts.alt ?? '');
      if (this.#asked === width) this.still = still;
    } catch {
      this.still ??= 'failed';
    }
    if (!this.isConnected) this.#release();
  }

  /** Decodes a picture in the size of the original: one that is not decoded yet has no height, and would move what follows. */
  async #decode(blob: Blob): Promise<HTMLImageElement> {
    const { width, height } = this.image.original;
    const picture = new Image(width, height);
    picture.alt = '';
    picture.src = URL.createObjectURL(blob);
    this.#urls.push(picture.src);
    await picture.decode();
    return picture;
  }

  #release(): void {
    for (const url of this.#urls.splice(0)) URL.revokeObjectURL(url);
    this.still = null;
    this.sides = null;
  }

  async #compare(): Promise<void> {
    const { client, image } = this;
    const { id, original, result } = image;
    if (!result || this.sides) {
      this.sides = null;
      return this.#focus('.compare');
    }
    const shapes = (result.width / result.height) * (original.height / original.width);
    if (Math.abs(1 - shapes) > SAME_SHAPE) return this.#openComparison();
    this.sides = 'loading';
    this.fault = false;
    try {
      const before = client.file(id, 'original').then((blob) => this.#decode(blob));
      // Of a format that browsers do not show, the large preview stands in.
      const shown = before.catch(async () => this.#decode(await client.preview(id, LARGE)));
      const after = client.file(id, 'result').then((blob) => this.#decode(blob));
      const [first, second] = await Promise.all([shown, after]);
      if (this.sides !== 'loading') return;
      second.className = 'after';
      this.sides = { before: first, after: second };
      await this.#focus('input');
    } catch {
      this.sides = null;
      this.fault = true;
    }
  }

  async #openComparison(): Promise<void> {
    const { id, name, original, result } = this.image;
    if (!result) return;
    const { client, i18n } = this;
    const [{ IoCompare }, messages] = await Promise.all([
      import('../elements/io-compare/index.ts'),
      loadLocale(i18n.locale),
    ]);
    if (!customElements.get('io-compare')) customElements.define('io-compare', IoCompare);
    const pair: ComparePair = {
      id,
      name,
      original: {
        blob: () => client.file(id, 'original').catch(() => new Blob()),
        fallback: () => client.preview(id, LARGE),
        ...original,
      },
      result: { blob: () => client.file(id, 'result'), ...result },
    };
    this.close = { pair, i18n: createI18n({ locale: i18n.locale, messages }) };
  }

  async #focus(selector: string): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(selector)?.focus();
  }

  protected override render(): TemplateResult {
    const { i18n, still, sides, small, image, fault } = this;
    const { t, dir } = i18n;
    if (still === 'failed') return html`<p class="muted">${small ? nothing : t('no-picture')}</p>`;
    const { width, height } = image.original;
    const compared = sides && sides !== 'loading' ? sides : null;
    return html`
      <div class="box" dir="ltr">
        <div class="frame">
          ${compared?.before ?? still ?? html`<svg width=${width} height=${height} viewBox="0 0 ${width} ${height}" aria-hidden="true"></svg>`}
          ${compared ? this.#renderDivider(compared.after) : nothing}
        </div>
        ${image.result && !small ? html`<div class="tools" dir=${dir}>${this.#renderTools()}</div>` : nothing}
      </div>
      ${fault ? html`<p role="alert" class="bad">${t('no-picture')}</p>` : nothing}
      ${this.close ? this.#renderClose(this.close) : nothing}
    `;
  }

  /** The file after over the one before, as far as the divider leaves it. */
  #renderDivider(after: HTMLImageElement): TemplateResult {
    const { t } = this.i18n;
    const move = ({ target }: Event) => {
      const { value } = target as HTMLInputElement;
      this.renderRoot.querySelector<HTMLElement>('.frame')?.style.setProperty('--at', `${value}%`);
    };
    return html`${after}<span class="handle" aria-hidden="true"></span>
      <span class="tag" aria-hidden="true">${t('before')}</span><span class="tag end" aria-hidden="true">${t('after')}</span>
      <input type="range" min="0" max="100" value="50" aria-label=${t('divider')} @input=${move} />`;
  }

  #renderTools(): TemplateResult {
    const { t } = this.i18n;
    const { sides } = this;
    const words = t(sides ? 'compare-close' : 'compare');
    return html`
      <button type="button" class="button compare" aria-busy=${sides === 'loading'} @click=${() => this.#compare()}>
        ${icon(sides ? 'close' : 'compare')}<span class=${sides ? 'visually-hidden' : ''}>${words}</span></button>
      <button type="button" class="button icon-only" title=${t('closely')} @click=${() => this.#openComparison()}>
        ${EXPAND}<span class="visually-hidden">${t('closely')}</span></button>
    `;
  }

  #renderClose({ pair, i18n }: { pair: ComparePair; i18n: I18n }): TemplateResult {
    const { t, dir } = this.i18n;
    const shut = () => {
      this.close = null;
    };
    return html`<dialog dir=${dir} aria-label=${t('closely')} @close=${shut}>
      <form method="dialog"><button class="button quiet icon-only">${icon('close')}<span class="visually-hidden">${t('compare-close')}</span></button></form>
      <io-compare .i18n=${i18n} .pairs=${[pair]}></io-compare>
    </dialog>`;
  }
}
