import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { SharedImage, ShareVerdict } from '#contract';
import type { ComparePair } from '../elements/io-compare/index.ts';
import { createI18n, type I18n, loadLocale } from '../i18n/index.ts';
import { controls, foundation, icon } from '../styles/index.ts';
import { imageStyles } from './share.styles.ts';
import { type ShareClient, ShareError } from './share-client.ts';

/** Pixels of the picture beside the texts, and of the one that stands in for a file that the browser cannot show. */
const PREVIEW = 640;
const LARGE = 2048;

/** One shared image: picture, comparison, texts, and the visitor's answer. */
export class ShareImage extends LitElement {
  static override styles = [foundation, ...controls, imageStyles];
  static override properties = {
    i18n: { attribute: false },
    client: { attribute: false },
    image: { attribute: false },
    picture: { state: true },
    pair: { state: true },
    fault: { state: true },
    sending: { state: true },
  };

  declare i18n: I18n;
  declare client: ShareClient;
  declare image: SharedImage;
  /** The decoded picture; null while it is loaded. */
  declare protected picture: HTMLImageElement | 'failed' | null;
  /** What is being compared, with the comparison's own texts; null: it is closed. */
  declare protected pair: { pair: ComparePair; i18n: I18n } | null;
  /** Key of the text of a fault; empty without one. */
  declare protected fault: string;
  declare protected sending: boolean;
  #seen: IntersectionObserver | null = null;
  #url = '';

  constructor() {
    super();
    this.picture = null;
    this.pair = null;
    this.fault = '';
    this.sending = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.picture) return;
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

  async #show(): Promise<void> {
    this.#seen?.disconnect();
    const { original, texts, id } = this.image;
    const picture = new Image(original.width, original.height);
    picture.alt = texts.decorative ? '' : (texts.alt ?? '');
    try {
      const blob = await this.client.preview(id, PREVIEW);
      this.#url = URL.createObjectURL(blob);
      picture.src = this.#url;
      // An image that is not decoded yet has no height, and would move what follows.
      await picture.decode();
      this.picture = picture;
    } catch {
      this.picture = 'failed';
    }
    if (!this.isConnected) this.#release();
  }

  #release(): void {
    URL.revokeObjectURL(this.#url);
    this.picture = null;
  }

  async #compare(): Promise<void> {
    if (this.pair) {
      this.pair = null;
      return;
    }
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
        // Of a format that browsers do not show, the large preview is compared, and the comparison says so.
        blob: () => client.file(id, 'original').catch(() => new Blob()),
        fallback: () => client.preview(id, LARGE),
        ...original,
      },
      result: { blob: () => client.file(id, 'result'), ...result },
    };
    this.pair = { pair, i18n: createI18n({ locale: i18n.locale, messages }) };
  }

  async #answer(verdict: ShareVerdict): Promise<void> {
    if (this.sending) return;
    const field = this.renderRoot.querySelector('textarea') as HTMLTextAreaElement;
    const comment = field.value.trim();
    this.fault = verdict === 'change' && comment === '' ? 'say' : '';
    if (this.fault) return field.focus();
    this.sending = true;
    const { id, textsVersion } = this.image;
    try {
      this.image.answer = await this.client.answer(id, { verdict, comment, textsVersion });
      this.dispatchEvent(new CustomEvent('share-answer'));
    } catch (error) {
      this.fault = error instanceof ShareError && error.status === 429 ? 'wait' : 'send-failed';
    }
    this.sending = false;
  }

  protected override render(): TemplateResult {
    const { image, pair } = this;
    const { dir } = this.i18n;
    return html`
      <article aria-labelledby="name" dir=${dir}>
        ${this.#renderPicture()}
        <div class="about">
          <h2 id="name"><bdi>${image.name}</bdi></h2>
          ${this.#renderResult()}
          ${this.#renderTexts()}
          ${this.#renderAnswer()}
        </div>
        ${pair ? html`<io-compare class="compare" .i18n=${pair.i18n} .pairs=${[pair.pair]}></io-compare>` : nothing}
      </article>
    `;
  }

  #renderPicture(): TemplateResult {
    const { width, height } = this.image.original;
    const { picture } = this;
    return html`
      <div class="picture">
        ${
          picture === 'failed'
            ? html`<p class="muted">${this.i18n.t('no-picture')}</p>`
            : (picture ??
              html`<svg width=${width} height=${height} viewBox="0 0 ${width} ${height}" aria-hidden="true"></svg>`)
        }
      </div>
    `;
  }

  #renderResult(): TemplateResult {
    const { t, formatBytes, formatPercent } = this.i18n;
    const { result, original } = this.image;
    if (!result) return html`<p class="muted">${t('none')}</p>`;
    const saved = 1 - result.size / original.size;
    const params = {
      from: formatBytes(original.size),
      to: formatBytes(result.size),
      percent: formatPercent(Math.abs(saved)),
    };
    return html`
      <p class="numbers"><span class="badge accent">${t(result.kind)}</span> ${t(saved >= 0 ? 'smaller' : 'larger', params)}
        <bdi dir="ltr" class="muted">${result.width} × ${result.height}, ${result.format}</bdi></p>
      <p><button type="button" class="button" aria-expanded=${this.pair !== null} @click=${() => this.#compare()}>
        ${icon('compare')}${t(this.pair ? 'compare-close' : 'compare')}</button></p>
    `;
  }

  #renderTexts(): TemplateResult {
    const { t } = this.i18n;
    const { alt, title, caption, filename, decorative } = this.image.texts;
    const row = (key: string, text: string | null) =>
      text ? html`<div><dt>${t(key)}</dt><dd dir="auto">${text}</dd></div>` : nothing;
    return html`
      <dl>
        <div><dt>${t('alt')}</dt><dd dir="auto">${decorative ? t('decorative') : alt || html`<em>${t('missing')}</em>`}</dd></div>
        ${row('name', title)}${row('caption', caption)}${row('file', filename)}
      </dl>
    `;
  }

  #renderAnswer(): TemplateResult {
    const { t, locale } = this.i18n;
    const { answer, name } = this.image;
    const time = answer
      ? new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(answer.at))
      : '';
    const button = (verdict: ShareVerdict, look: string, symbol: 'check' | 'undo') =>
      html`<button type="button" class="button ${look}" aria-pressed=${answer?.verdict === verdict} aria-busy=${this.sending}
        @click=${() => this.#answer(verdict)}>${icon(symbol)}${t(verdict === 'approved' ? 'approve' : 'change')}</button>`;
    return html`
      <div class="answer">
        <label class="field"><span>${t('comment')}</span>
          <textarea class="input" rows="2" maxlength="2000" dir="auto" aria-label=${t('comment-for', { name })} .defaultValue=${answer?.comment ?? ''}></textarea></label>
        <div class="buttons">${button('approved', 'primary', 'check')}${button('change', '', 'undo')}</div>
        <p role="status" class=${answer?.verdict === 'approved' ? 'good' : ''}>${answer ? html`${t(answer.verdict === 'approved' ? 'approved' : 'change-asked', { time })} ${answer.isCurrent ? nothing : t('earlier')}` : nothing}</p>
        <p role="alert" class="bad">${this.fault ? t(this.fault) : nothing}</p>
      </div>
    `;
  }
}
