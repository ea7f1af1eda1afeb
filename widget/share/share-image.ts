import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { SharedImage, ShareVerdict } from '#contract';
import type { I18n } from '../i18n/index.ts';
import { controls, foundation, icon } from '../styles/index.ts';
import { imageStyles } from './share.styles.ts';
import { type ShareClient, ShareError } from './share-client.ts';

/**
 * One shared image: picture, texts, and the visitor's answer. One line as soon as it is answered, or while it is folded.
 *
 * @fires {CustomEvent<SharedImage>} share-answer - The answer was sent.
 * @fires {CustomEvent} share-open - The visitor wants to see this image.
 * @fires {CustomEvent<boolean>} share-draft - A comment is begun (true), or sent or dropped.
 */
export class ShareImage extends LitElement {
  static override styles = [foundation, ...controls, imageStyles];
  static override properties = {
    i18n: { attribute: false },
    client: { attribute: false },
    image: { attribute: false },
    folded: { type: Boolean },
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
  /** True: another image is open, where there is room for one. */
  declare folded: boolean;
  /** Key of the text of a fault; empty without one. */
  declare protected fault: string;
  declare protected sending: boolean;
  /** `closed`: answered, one line; `open`: the buttons; `change`: the comment that asks for a change. */
  declare protected stage: 'closed' | 'open' | 'change';
  /** Comment that was not sent yet: it outlives its field, which goes when the image is folded. */
  #draft: string | null = null;

  constructor() {
    super();
    this.folded = false;
    this.fault = '';
    this.sending = false;
    this.stage = 'open';
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('image') && this.image.answer) this.stage = 'closed';
  }

  /**
   * Sends an answer; the image becomes one line. Also called for images that are approved together.
   * @returns false if the page moves the focus
   */
  async answer(verdict: ShareVerdict, comment = ''): Promise<boolean> {
    const { id, textsVersion } = this.image;
    const answer = await this.client.answer(id, { verdict, comment, textsVersion });
    this.image = { ...this.image, answer };
    this.#keep(null);
    return this.dispatchEvent(new CustomEvent('share-answer', { detail: this.image, cancelable: true }));
  }

  async #send(verdict: ShareVerdict, comment = ''): Promise<void> {
    if (this.sending) return;
    this.fault = verdict === 'change' && comment === '' ? 'say' : '';
    if (this.fault) return this.#focus('textarea');
    this.sending = true;
    let stays = true;
    try {
      stays = await this.answer(verdict, comment);
    } catch (error) {
      this.fault = error instanceof ShareError && error.status === 429 ? 'wait' : 'send-failed';
    }
    this.sending = false;
    if (!this.fault && stays) await this.#focus('.again');
  }

  async #turn(stage: 'open' | 'change'): Promise<void> {
    this.stage = stage;
    this.#keep(null);
    this.fault = '';
    this.#open();
    await this.#focus(stage === 'change' ? 'textarea' : '.approve');
  }

  #keep(draft: string | null): void {
    const [before, after] = [this.#draft, draft].map((text) => Boolean(text?.trim()));
    this.#draft = draft;
    if (before !== after) this.dispatchEvent(new CustomEvent('share-draft', { detail: after }));
  }

  readonly #open = (): void => {
    this.dispatchEvent(new CustomEvent('share-open'));
  };

  async #focus(selector: string): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(selector)?.focus();
  }

  /** Focuses the heading, with the image at the top of the window. */
  override focus(): void {
    this.scrollIntoView({ block: 'start' });
    void this.#focus('h2');
  }

  protected override render(): TemplateResult {
    const { index, count, stage, folded, i18n, client, image } = this;
    const { t, dir } = i18n;
    const line = folded || stage === 'closed';
    return html`
      <article class=${line ? 'closed' : stage} aria-labelledby="name" dir=${dir}>
        <h2 id="name" tabindex="-1"><bdi>${image.texts.title || t('image', { index, count })}</bdi></h2>
        <share-picture ?small=${line} .i18n=${i18n} .client=${client} .image=${image}></share-picture>
        <div class="about">
          ${stage === 'closed' ? this.#renderAnswer() : folded ? this.#renderFolded() : html`${this.#renderTexts()}${this.#renderQuestion()}`}
        </div>
      </article>
    `;
  }

  /** The line of an image that waits for its turn; it opens wherever it is pressed. */
  #renderFolded(): TemplateResult {
    const { t } = this.i18n;
    return html`
      <p class="given muted">${t('waiting')}</p>
      <button type="button" class="button quiet again whole" aria-describedby="name" @click=${this.#open}>${icon('down')}<span class="visually-hidden">${t('look')}</span></button>
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
                  .defaultValue=${this.#draft ?? image.answer?.comment ?? ''}
                  @input=${({ target }: Event) => this.#keep((target as HTMLTextAreaElement).value)}></textarea></label>
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
        ${answer?.isCurrent ? nothing : html`<span class="muted">${t('earlier')}</span>`}
        ${answer?.comment ? html`· <bdi class="comment">${answer.comment}</bdi>` : nothing}</p>
      <button type="button" class="button quiet again" title=${t('again')} @click=${() => this.#turn('open')}>${icon('undo')}<span class="words">${t('again')}</span></button>
    `;
  }
}
