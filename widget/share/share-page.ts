import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { SharedImage, SharedImages } from '#contract';
import { DIGITS, type I18n, LOCALES, type LocaleName } from '../i18n/index.ts';
import { controls, foundation, icon, tokens } from '../styles/index.ts';
import { VERSION } from '../version.ts';
import { firstLink, firstTexts, openLink } from './first-visit.ts';
import { loadTexts, NAMES } from './load-texts.ts';
import { pageStyles } from './share.styles.ts';
import { type ShareClient, ShareError } from './share-client.ts';
import { ShareImage } from './share-image.ts';
import { SharePicture } from './share-picture.ts';

/** Windows with room for one open image. */
const NARROW = '(max-width: 639px)';

/** The page of a link: all images of its session, for a person without an account. */
export class SharePage extends LitElement {
  static override styles = [tokens, foundation, ...controls, pageStyles];
  static override properties = {
    i18n: { state: true },
    shared: { state: true },
    problem: { state: true },
    resting: { state: true },
    fault: { state: true },
    open: { state: true },
    narrow: { state: true },
    drafts: { state: true },
  };

  declare protected i18n: I18n | null;
  declare protected shared: SharedImages | null;
  /** Key of the text that says why there is nothing to see; empty without a problem. */
  declare protected problem: string;
  /** State of the approval of all images without an answer: asking, or running. */
  declare protected resting: 'idle' | 'asking' | 'running';
  /** Key of the text of a fault while they are; empty without one. */
  declare protected fault: string;
  /** The image that is open where there is room for one; null: none. */
  declare protected open: string | null;
  declare protected narrow: boolean;
  /** Images with a comment that was not sent yet. */
  declare protected drafts: ReadonlySet<string>;
  #wantedTexts: Promise<I18n> | null = null;
  #client: ShareClient | null = null;
  readonly #width = matchMedia(NARROW);

  constructor() {
    super();
    this.i18n = null;
    this.shared = null;
    this.problem = '';
    this.resting = 'idle';
    this.fault = '';
    this.open = null;
    this.narrow = this.#width.matches;
    this.drafts = new Set();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    globalThis.addEventListener('hashchange', this.#follow);
    this.#width.addEventListener('change', ({ matches }) => {
      this.narrow = matches;
    });
    void this.#speak(firstTexts);
    void this.#load(firstLink);
  }

  readonly #follow = (): void => {
    void this.#load(openLink());
  };

  async #speak(texts: Promise<I18n>): Promise<void> {
    this.#wantedTexts = texts;
    const i18n = await texts;
    if (texts !== this.#wantedTexts) return;
    // Rendering is a task of its own, apart from the start of the program: taps are answered in between.
    await new Promise((go) => setTimeout(go));
    this.i18n = i18n;
    const { documentElement: root } = document;
    root.lang = i18n.locale;
    root.dir = i18n.dir;
  }

  protected override updated(): void {
    if (this.i18n) document.title = this.#title(this.i18n.t);
  }

  async #load({ client, images }: ReturnType<typeof openLink>): Promise<void> {
    this.#client = client;
    this.problem = '';
    this.shared = null;
    this.drafts = new Set();
    try {
      const shared = await images;
      if (client !== this.#client) return;
      this.shared = shared;
      this.open = shared.images.find(({ answer }) => !answer)?.id ?? null;
    } catch (error) {
      if (client !== this.#client) return;
      this.problem = error instanceof ShareError && error.status === 404 ? 'gone' : 'failed';
    }
  }

  protected override render(): TemplateResult {
    const { i18n, shared } = this;
    if (!i18n) return html`<div class="base" part="base"></div>`;
    const { t } = i18n;
    return html`
      <div class="base" part="base" lang=${i18n.locale} dir=${i18n.dir}>
        <main>
          <header>
            <h1>${this.#title(t)}</h1>
            <label class="language"><span class="visually-hidden">${t('language')}</span>
              <select class="input" @change=${({ target }: Event) => this.#speak(loadTexts((target as HTMLSelectElement).value as LocaleName))}>
                ${LOCALES.map((name) => html`<option value=${name} lang=${name} ?selected=${name === i18n.locale}>${NAMES[name]}</option>`)}
              </select>
            </label>
            <p class="muted">${t('intro')} ${shared ? this.#renderUntil(shared) : nothing}</p>
          </header>
          ${this.problem ? this.#renderProblem() : shared ? this.#renderImages(shared) : html`<p class="muted">${t('loading')}</p>`}
        </main>
      </div>
    `;
  }

  /** The sender keeps its own direction. */
  #title(t: I18n['t']): string {
    const { sender, images } = this.shared ?? {};
    return sender && images ? t('title-of', { sender: `\u2068${sender}\u2069`, count: images.length }) : t('title');
  }

  #renderUntil({ expiresAt }: SharedImages): string {
    const { t, locale } = this.i18n as I18n;
    return t('until', {
      date: new Intl.DateTimeFormat(locale, { ...DIGITS, dateStyle: 'long' }).format(new Date(expiresAt)),
    });
  }

  #renderProblem(): TemplateResult {
    const { t } = this.i18n as I18n;
    return html`
      <div class="notice danger" role="alert"><p class="content">${t(this.problem)}</p></div>
      ${this.problem === 'failed' ? html`<p><button type="button" class="button" @click=${this.#follow}>${t('retry')}</button></p>` : nothing}
    `;
  }

  #renderImages({ images }: SharedImages): TemplateResult {
    const { t } = this.i18n as I18n;
    if (images.length === 0) return html`<p>${t('empty')}</p>`;
    const isDone = images.every(({ answer }) => answer !== null);
    return html`
      ${isDone ? this.#renderEnd(images) : nothing}
      <ul class="images">
        ${images.map((image, place) => html`<li>${this.#renderImage(image, place + 1, images.length)}</li>`)}
      </ul>
      <footer class="muted">${t('footer')} <bdi>Imagewright ${VERSION}</bdi></footer>
      ${isDone ? nothing : html`<div class="bar">${this.#renderBar(images)}</div>`}
    `;
  }

  #renderImage(image: SharedImage, index: number, count: number): TemplateResult {
    const { i18n, narrow, open } = this;
    const show = () => {
      this.open = image.id;
    };
    return html`<share-image
      .i18n=${i18n}
      .client=${this.#client}
      .image=${image}
      .index=${index}
      .count=${count}
      .folded=${narrow && open !== image.id}
      @share-open=${show}
      @share-answer=${this.#answered}
      @share-draft=${({ detail: begun }: CustomEvent<boolean>) => {
        this.drafts = new Set([...this.drafts, image.id].filter((id) => begun || id !== image.id));
      }}
    ></share-image>`;
  }

  /** Renders thanks, and a count of the answers. */
  #renderEnd(images: SharedImage[]): TemplateResult {
    const { t } = this.i18n as I18n;
    const changes = images.filter(({ answer }) => answer?.verdict === 'change').length;
    const counts = [
      [t('count-approved', { count: images.length - changes }), images.length - changes],
      [t('count-change', { count: changes }), changes],
    ] as const;
    return html`<section class="end" tabindex="-1" aria-labelledby="end">
      ${icon('check')}
      <div>
        <h2 id="end">${t('end')}</h2>
        <p class="numbers">${counts.flatMap(([words, count]) => (count > 0 ? [words] : [])).join(' · ')}</p>
        <p class="muted">${t('end-note')}</p>
      </div>
    </section>`;
  }

  /** Renders the progress of the answers with the button for the rest. */
  #renderBar(images: SharedImage[]): TemplateResult {
    const { t } = this.i18n as I18n;
    const total = images.length;
    const open = images.filter(({ answer }) => answer === null);
    const left = open.length;
    const rest = open.filter(({ id }) => !this.drafts.has(id)).length;
    const button = (look: string, text: string, press: () => void) =>
      html`<button type="button" class="button ${look}" @click=${press}>${text}</button>`;
    return html`
      <p role="status" class="numbers"><strong>${t('answered', { done: total - left, total })}</strong> ${this.fault ? html`<span class="bad">${t(this.fault)}</span>` : nothing}</p>
      ${
        this.resting === 'running'
          ? html`<progress max=${total} value=${total - left} aria-label=${t('rest', { count: rest })}></progress>`
          : html`<div class="buttons" ?hidden=${rest === 0}>${
              this.resting === 'asking'
                ? html`${button('primary yes', t('rest-yes', { count: rest }), () => void this.#approveRest())}
                    ${button('', t('cancel'), () => void this.#ask(false))}`
                : button('primary rest', t('rest', { count: rest }), () => void this.#ask(true))
            }</div>`
      }
    `;
  }

  /** Keeps an answer. The end, or the next image where one is open, gets the focus, unless the visitor has gone on meanwhile. */
  readonly #answered = (event: CustomEvent<SharedImage>): void => {
    const { shared, narrow, resting, open } = this;
    if (!shared) return;
    const { detail } = event;
    const { activeElement: active } = this.renderRoot as ShadowRoot;
    const isAway = narrow ? open !== detail.id : active !== null && active !== event.target;
    const images = shared.images.map((image) => (image.id === detail.id ? detail : image));
    this.shared = { ...shared, images };
    if (isAway && resting !== 'running') return void event.preventDefault();
    const at = images.findIndex(({ id }) => id === detail.id);
    const next = [...images.slice(at), ...images.slice(0, at)].find(({ answer }) => !answer);
    this.open = next?.id ?? null;
    if (resting === 'running' || (next && !narrow)) return;
    event.preventDefault();
    void this.#focus(next ? placeOf(images.indexOf(next)) : '.end');
  };

  async #ask(asks: boolean): Promise<void> {
    this.resting = asks ? 'asking' : 'idle';
    this.fault = '';
    await this.#focus(asks ? '.yes' : '.rest');
  }

  /** Approves all images without an answer or the beginning of one, one after the other. A service that asks to wait is waited for. */
  async #approveRest(): Promise<void> {
    this.resting = 'running';
    const cards = [...this.renderRoot.querySelectorAll<ShareImage>('share-image')];
    try {
      for (const card of cards) {
        if (!card.image.answer && !this.drafts.has(card.image.id)) await approveInTime(card);
      }
    } catch {
      this.fault = 'send-failed';
    }
    this.resting = 'idle';
    const left = this.shared?.images.findIndex(({ answer }) => !answer) ?? -1;
    await this.#focus(this.fault ? '.rest' : left < 0 ? '.end' : placeOf(left));
  }

  async #focus(selector: string): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(selector)?.focus();
  }
}

/** Returns the selector of an image by its index. */
const placeOf = (index: number): string => `li:nth-child(${index + 1}) share-image`;

async function approveInTime(card: ShareImage): Promise<void> {
  try {
    await card.answer('approved');
  } catch (error) {
    if (!(error instanceof ShareError) || error.status !== 429) throw error;
    await new Promise((done) => setTimeout(done, Math.max(1, error.waitSeconds) * 1000));
    await card.answer('approved');
  }
}

customElements.define('share-picture', SharePicture);
customElements.define('share-image', ShareImage);
customElements.define('share-page', SharePage);
