import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
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
    index: { type: Number },
    count: { type: Number },
    fault: { state: true },
    sending: { state: true },
    stage: { state: true },
  };

  declare i18n: I18n;
  declare client: ShareClient;
  declare image: SharedImage;
  /** Place among the images, from 1. */
  declare index: number;
  declare count: number;
  /** The decoded picture; null while it is loaded. */
  declare protected picture: HTMLImageElement | 'failed' | null;
  /** Open comparison, with its texts; null: closed. */
  declare protected pair: { pair: ComparePair; i18n: I18n } | null;
  /** Key of the text of a fault; empty without one. */
  declare protected fault: string;
  declare protected sending: boolean;
  /** `closed`: answered, one line; `open`: the buttons; `change`: the comment that asks for a change. */
  declare protected stage: 'closed' | 'open' | 'change';
  #seen: IntersectionObserver | null = null;
  #url = '';

  constructor() {
    super();
    this.picture = null;
    this.pair = null;
    this.fault = '';
    this.sending = false;
    this.stage = 'open';
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('image') && this.image.answer) this.stage = 'closed';
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

  /** Sends an answer; the image becomes one line. Also called for images that are approved together. */
  async answer(verdict: ShareVerdict, comment = ''): Promise<void> {
    const { id, textsVersion } = this.image;
    const answer = await this.client.answer(id, { verdict, comment, textsVersion });
    this.image = { ...this.image, answer };
    this.pair = null;
    this.dispatchEvent(new CustomEvent('share-answer', { detail: this.image }));
  }

  async #send(verdict: ShareVerdict, comment = ''): Promise<void> {
    if (this.sending) return;
    this.fault = verdict === 'change' && comment === '' ? 'say' : '';
    if (this.fault) return this.#focus('textarea');
    this.sending = true;
    try {
      await this.answer(verdict, comment);
    } catch (error) {
      this.fault = error instanceof ShareError && error.status === 429 ? 'wait' : 'send-failed';
    }
    this.sending = false;
    if (!this.fault) await this.#focus('.again');
  }

  async #turn(stage: 'open' | 'change'): Promise<void> {
    this.stage = stage;
    this.fault = '';
    await this.#focus(stage === 'change' ? 'textarea' : '.approve');
  }

  async #focus(selector: string): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(selector)?.focus();
  }

  protected override render(): TemplateResult {
    const { index, count, stage } = this;
    const { t, dir } = this.i18n;
    const { title } = this.image.texts;
    return html`
      <article class=${stage} aria-labelledby="name" dir=${dir}>
        <h2 id="name"><bdi>${title || t('image', { index, count })}</bdi></h2>
        ${this.#renderPicture()}
        <div class="about">
          ${stage === 'closed' ? this.#renderAnswer() : html`${this.#renderTexts()}${this.#renderQuestion()}`}
        </div>
      </article>
    `;
  }

  /** The picture; with its comparison in its place. */
  #renderPicture(): TemplateResult {
    const { picture, pair, stage } = this;
    const { t } = this.i18n;
    const { original, result } = this.image;
    const { width, height } = original;
    const still =
      picture === 'failed'
        ? html`<p class="muted">${t('no-picture')}</p>`
        : (picture ??
          html`<svg width=${width} height=${height} viewBox="0 0 ${width} ${height}" aria-hidden="true"></svg>`);
    return html`
      <div class="picture">
        ${pair ? html`<io-compare .i18n=${pair.i18n} .pairs=${[pair.pair]}></io-compare>` : still}
        ${
          result && stage !== 'closed'
            ? html`<button type="button" class="button" aria-expanded=${pair !== null} @click=${() => this.#compare()}>
                ${icon('compare')}${t(pair ? 'compare-close' : 'compare')}</button>`
            : nothing
        }
      </div>
    `;
  }

  #renderTexts(): TemplateResult {
    const { t, formatBytes, formatPercent } = this.i18n;
    const { original, result, texts } = this.image;
    const { alt, caption, decorative } = texts;
    const saved = result ? 1 - result.size / original.size : 0;
    return html`
      <dl>
        <div><dt>${t('alt')}</dt><dd dir="auto">${decorative ? t('decorative') : alt || html`<em>${t('missing')}</em>`}</dd></div>
        ${caption ? html`<div><dt>${t('caption')}</dt><dd dir="auto">${caption}</dd></div>` : nothing}
      </dl>
      <p class="muted numbers">${
        result
          ? t(saved >= 0 ? 'smaller' : 'larger', {
              from: formatBytes(original.size),
              to: formatBytes(result.size),
              percent: formatPercent(Math.abs(saved)),
            })
          : t('none')
      }</p>
    `;
  }

  /** The buttons that answer; after "Please change" the comment. */
  #renderQuestion(): TemplateResult {
    const { t } = this.i18n;
    const { index, count, stage, sending, image } = this;
    const name = t('image', { index, count });
    const send = (event: SubmitEvent) => {
      event.preventDefault();
      void this.#send('change', String(new FormData(event.target as HTMLFormElement).get('comment')).trim());
    };
    return html`
      ${
        stage === 'change'
          ? html`<form class="answer" @submit=${send}>
              <label class="field"><span class="label">${t('comment')}</span>
                <textarea class="input" name="comment" rows="2" maxlength="2000" dir="auto" aria-label=${t('comment-for', { name })}
                  .defaultValue=${image.answer?.comment ?? ''}></textarea></label>
              <div class="buttons">
                <button class="button primary" aria-busy=${sending}>${t('send')}</button>
                <button type="button" class="button" @click=${() => this.#turn('open')}>${t('cancel')}</button>
              </div>
            </form>`
          : html`<div class="buttons">
              <button type="button" class="button approve" aria-busy=${sending} @click=${() => this.#send('approved')}>${icon('check')}${t('approve')}</button>
              <button type="button" class="button" @click=${() => this.#turn('change')}>${t('change')}</button>
            </div>`
      }
      <p role="alert" class="bad">${this.fault ? t(this.fault) : nothing}</p>
    `;
  }

  #renderAnswer(): TemplateResult {
    const { t } = this.i18n;
    const { answer } = this.image;
    return html`
      <p class="given"><span class="badge ${answer?.verdict === 'approved' ? 'success' : 'warning'}">${t(answer?.verdict === 'approved' ? 'approved' : 'change-asked')}</span>
        ${answer?.isCurrent ? nothing : html`<span class="muted">${t('earlier')}</span>`} <bdi class="comment">${answer?.comment}</bdi></p>
      <button type="button" class="button quiet again" @click=${() => this.#turn('open')}>${t('again')}</button>
    `;
  }
}
