import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { SharedImages } from '#contract';
import { type I18n, LOCALES, type LocaleName } from '../i18n/index.ts';
import { controls, foundation, tokens } from '../styles/index.ts';
import { loadTexts, NAMES, preferredLanguage } from './load-texts.ts';
import { pageStyles } from './share.styles.ts';
import { createShareClient, type ShareClient, ShareError } from './share-client.ts';
import { ShareImage } from './share-image.ts';

/** The page of a link: all images of its session, for somebody without an account. */
export class SharePage extends LitElement {
  static override styles = [tokens, foundation, ...controls, pageStyles];
  static override properties = {
    i18n: { state: true },
    shared: { state: true },
    problem: { state: true },
  };

  declare protected i18n: I18n | null;
  declare protected shared: SharedImages | null;
  /** Key of the text that says why there is nothing to see; empty without a problem. */
  declare protected problem: string;
  #client: ShareClient | null = null;

  constructor() {
    super();
    this.i18n = null;
    this.shared = null;
    this.problem = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    globalThis.addEventListener('hashchange', this.#open);
    void this.#choose(preferredLanguage());
    this.#open();
  }

  readonly #open = (): void => {
    this.#client = createShareClient(location.hash.slice(1));
    void this.#load();
  };

  async #choose(locale: LocaleName): Promise<void> {
    this.i18n = await loadTexts(locale);
    const { documentElement: root } = document;
    root.lang = locale;
    root.dir = this.i18n.dir;
    document.title = this.i18n.t('title');
  }

  async #load(): Promise<void> {
    const client = this.#client;
    this.problem = '';
    this.shared = null;
    try {
      const shared = await client?.images();
      if (client === this.#client) this.shared = shared ?? null;
    } catch (error) {
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
            <h1>${t('title')}</h1>
            <label class="language"><span class="visually-hidden">${t('language')}</span>
              <select class="input" @change=${({ target }: Event) => this.#choose((target as HTMLSelectElement).value as LocaleName)}>
                ${LOCALES.map((name) => html`<option value=${name} lang=${name} ?selected=${name === i18n.locale}>${NAMES[name]}</option>`)}
              </select>
            </label>
            <p class="intro">${t('intro')}</p>
            <p class="muted">${shared ? this.#renderState(shared) : html`&nbsp;`}</p>
          </header>
          ${this.problem ? this.#renderProblem() : shared ? this.#renderImages(shared) : html`<p class="muted">${t('loading')}</p>`}
        </main>
      </div>
    `;
  }

  #renderState({ images, expiresAt }: SharedImages): TemplateResult {
    const { t, locale } = this.i18n as I18n;
    const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(new Date(expiresAt));
    const done = images.filter(({ answer }) => answer !== null).length;
    return html`<strong role="status">${t('answered', { done, total: images.length })}</strong> <span>${t('until', { date })}</span>`;
  }

  #renderProblem(): TemplateResult {
    const { t } = this.i18n as I18n;
    return html`
      <div class="notice danger" role="alert"><p class="content">${t(this.problem)}</p></div>
      ${this.problem === 'failed' ? html`<p><button type="button" class="button" @click=${() => this.#load()}>${t('retry')}</button></p>` : nothing}
    `;
  }

  #renderImages({ images }: SharedImages): TemplateResult {
    const { t } = this.i18n as I18n;
    if (images.length === 0) return html`<p>${t('empty')}</p>`;
    return html`
      <ul class="images">
        ${images.map((image) => html`<li><share-image .i18n=${this.i18n} .client=${this.#client} .image=${image} @share-answer=${() => this.requestUpdate()}></share-image></li>`)}
      </ul>
      <footer class="muted">${t('footer')}</footer>
    `;
  }
}

customElements.define('share-image', ShareImage);
customElements.define('share-page', SharePage);
