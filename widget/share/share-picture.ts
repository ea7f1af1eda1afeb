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

/** Both files of an image, decoded. */
interface Sides {
  before: HTMLImageElement;
  after: HTMLImageElement;
}

/** Large previews on their way: those of folded lines leave the line to them. */
const large = new Set<Promise<unknown>>();

/** Frees the bytes of a picture that is no longer shown. */
const forget = (picture: HTMLImageElement): void => URL.revokeObjectURL(picture.src);

/** The picture of a shared image, with both files in one another's place behind a divider, and a closer look at them. */
export class SharePicture extends LitElement {
  static override styles = [foundation, ...controls, pictureStyles];
  static override properties = {
    i18n: { attribute: false },
    client: { attribute: false },
    image: { attribute: false },
    small: { type: Boolean, reflect: true },
    still: { state: true },
    missing: { state: true },
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
  declare protected still: HTMLImageElement | null;
  /** The preview that is wanted could not be loaded, or is loaded once more after that; null: neither. */
  declare protected missing: 'failed' | 'loading' | null;
  /** Both files while they are compared. */
  declare protected sides: Sides | 'loading' | null;
  /** True: what compares the files could not be loaded. */
  declare protected fault: boolean;
  /** The pair of the closer look, with the comparison's own texts; null: it is closed. */
  declare protected close: { pair: ComparePair; i18n: I18n } | null;
  readonly #seen = new IntersectionObserver(
    (entries) => {
      if (entries.some((entry) => entry.isIntersecting)) void this.#show();
    },
    { rootMargin: '600px' },
  );
  /** Pixels of the preview that is shown or on its way; 0: neither. */
  #asked = 0;
  /** True as soon as the visitor wanted this picture, who then hears of a fault. */
  #wanted = false;
  /** Number of the comparison: what an earlier one still loads is not shown. */
  #comparison = 0;

  constructor() {
    super();
    this.small = false;
    this.still = null;
    this.missing = null;
    this.sides = null;
    this.fault = false;
    this.close = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#seen.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#seen.disconnect();
    this.#place(null);
    if (this.still) forget(this.still);
    this.still = null;
    this.missing = null;
    this.#asked = 0;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('small')) return;
    if (this.small) {
      this.#place(null);
      this.fault = false;
      if (this.missing && !this.still) void this.#show();
    } else if (this.#asked === FOLDED || this.missing) {
      this.#wanted = true;
      void this.#show();
    }
  }

  override updated(): void {
    const dialog = this.renderRoot.querySelector('dialog');
    if (dialog && !dialog.open) dialog.showModal();
  }

  /** Loads the preview in the size that is shown; one that fails can be asked for again. */
  async #show(): Promise<void> {
    this.#seen.disconnect();
    const { texts, id } = this.image;
    const width = this.small ? FOLDED : PREVIEW;
    this.#asked = width;
    this.missing &&= 'loading';
    if (this.small) {
      // Pictures come into sight together, in any order.
      await new Promise((go) => setTimeout(go));
      await Promise.allSettled(large);
      if (this.#asked !== width) return;
    }
    const bytes = this.client.preview(id, width);
    if (width === PREVIEW) large.add(bytes);
    try {
      const still = await this.#decode(bytes);
      still.alt = texts.decorative ? '' : (texts.alt ?? '');
      const isLatest = this.#asked === width;
      // A small one that comes late stands in for a large one that is missing.
      if (!this.isConnected || (!isLatest && this.still)) return forget(still);
      if (this.still) forget(this.still);
      this.still = still;
      if (isLatest) this.missing = null;
    } catch {
      if (this.#asked !== width) return;
      this.#asked = 0;
      this.missing = 'failed';
    } finally {
      large.delete(bytes);
    }
  }

  async #showAgain(): Promise<void> {
    if (this.missing !== 'failed') return;
    this.#wanted = true;
    await this.#show();
    if (!this.missing) await this.#focus('.box');
  }

  /** Decodes a picture in the size of the original: one that is not decoded yet has no height, and would move what follows. */
  async #decode(bytes: Promise<Blob>): Promise<HTMLImageElement> {
    const { width, height } = this.image.original;
    const picture = new Image(width, height);
    picture.alt = '';
    picture.src = URL.createObjectURL(await bytes);
    try {
      await picture.decode();
    } catch (error) {
      forget(picture);
      throw error;
    }
    return picture;
  }

  /** Shows other files, or none, in place of those that are compared. */
  #place(sides: Sides | 'loading' | null): void {
    this.#comparison += 1;
    if (this.sides && this.sides !== 'loading') Object.values(this.sides).forEach(forget);
    this.sides = sides;
  }

  async #compare(): Promise<void> {
    const { client, image } = this;
    const { id, original, result } = image;
    if (!result || this.sides) {
      this.#place(null);
      return this.#focus('.compare');
    }
    const shapes = (result.width / result.height) * (original.height / original.width);
    if (Math.abs(1 - shapes) > SAME_SHAPE) return this.#openComparison();
    this.fault = false;
    this.#place('loading');
    const comparison = this.#comparison;
    const loads = [
      // Of a format that browsers do not show, the large preview stands in.
      this.#decode(client.original(id)).catch(() => this.#decode(client.preview(id, LARGE))),
      this.#decode(client.result(id, result.sha256)),
    ] as const;
    const pictures = await Promise.all(loads).catch(() => null);
    if (pictures && comparison === this.#comparison) {
      const [before, after] = pictures;
      after.className = 'after';
      this.#place({ before, after });
      return this.#focus('input');
    }
    for (const load of loads) load.then(forget, () => {});
    if (comparison !== this.#comparison) return;
    this.#place(null);
    this.fault = true;
  }

  async #openComparison(): Promise<void> {
    const { id, name, original, result } = this.image;
    if (!result) return;
    const { client, i18n } = this;
    this.fault = false;
    const loads = [import('../elements/io-compare/index.ts'), loadLocale(i18n.locale)] as const;
    const parts = await Promise.all(loads).catch(() => null);
    if (!parts) {
      this.fault = true;
      return;
    }
    const [{ IoCompare }, messages] = parts;
    if (!customElements.get('io-compare')) customElements.define('io-compare', IoCompare);
    const pair: ComparePair = {
      id,
      name,
      original: { blob: () => client.original(id), fallback: () => client.preview(id, LARGE), ...original },
      result: { blob: () => client.result(id, result.sha256), ...result },
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
    const { width, height } = image.original;
    const compared = sides && sides !== 'loading' ? sides : null;
    return html`
      <div class="box" dir="ltr" tabindex=${small ? nothing : -1}>
        <div class="frame">
          ${compared?.before ?? still ?? html`<svg width=${width} height=${height} viewBox="0 0 ${width} ${height}" aria-hidden="true"></svg>`}
          ${compared ? this.#renderDivider(compared.after) : nothing}
        </div>
        ${image.result && !small ? html`<div class="tools" dir=${dir}>${this.#renderTools()}</div>` : nothing}
      </div>
      ${this.missing && !small ? this.#renderMissing(this.missing) : nothing}
      ${fault ? html`<p role="alert" class="bad">${t('failed')}</p>` : nothing}
      ${this.close ? this.#renderClose(this.close) : nothing}
    `;
  }

  /** Says that the preview is missing, with a button that asks for it again. */
  #renderMissing(missing: 'failed' | 'loading'): TemplateResult {
    const { t } = this.i18n;
    const words = t(missing === 'loading' ? 'loading' : this.still ? 'small-copy' : 'no-picture');
    return html`<div class="missing">
      <p class=${missing === 'failed' ? 'bad' : 'muted'} role=${this.#wanted ? 'alert' : nothing}>${words}</p>
      <button type="button" class="button" aria-busy=${missing === 'loading'} @click=${() => this.#showAgain()}>${t('retry')}</button>
    </div>`;
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
