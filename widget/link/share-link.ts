import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { CreatedShare, Share, ShareAnswer } from '#contract';
import { createClient } from '../../plugin-bridge/sdk/index.ts';
import { createI18n, DIGITS, type I18n, matchLocale, nearestLanguage } from '../i18n/index.ts';
import type { ImageOptimizer } from '../index.ts';
import { controls, foundation } from '../styles/index.ts';
import { linkStyles } from './link.styles.ts';
import { TEXTS } from './texts.ts';

/** Interval at which answers are asked for while a link works and the page is visible, in milliseconds. */
const ASK_MS = 15_000;
const DAYS = [1, 7, 14, 30];

/**
 * Creates, lists and revokes links to the session of the `image-optimizer` that it stands in, and shows the answers of their
 * visitors beside the images.
 *
 * @tag io-share-link
 */
export class ShareLink extends LitElement {
  static override styles = [foundation, ...controls, linkStyles];
  static override properties = {
    shares: { state: true },
    made: { state: true },
    copied: { state: true },
    failed: { state: true },
  };

  /** Newest first. */
  declare protected shares: Share[];
  /** The link that was created last: only its response contains it. */
  declare protected made: CreatedShare | null;
  declare protected copied: boolean;
  declare protected failed: boolean;
  #i18n: I18n = createI18n({ locale: 'en', messages: TEXTS.en ?? {} });
  #host: ImageOptimizer | null = null;
  #sessionId: string | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Later: who changes the language of the page sets that of the element afterwards. */
  readonly #changes = new MutationObserver(() => setTimeout(this.#follow));
  #others: ImageOptimizer['itemActions'] = null;
  #shown = '';
  #busy = false;

  constructor() {
    super();
    this.shares = [];
    this.made = null;
    this.copied = false;
    this.failed = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#host = this.closest<ImageOptimizer>('image-optimizer');
    this.#others = this.#host?.itemActions ?? null;
    // The element reflects its session, also when it makes one itself, and its language.
    if (this.#host) this.#changes.observe(this.#host, { attributeFilter: ['session-id', 'locale'] });
    this.#changes.observe(document.documentElement, { attributeFilter: ['lang'] });
    document.addEventListener('visibilitychange', this.#ask);
    this.#timer = setInterval(this.#ask, ASK_MS);
    this.#ask();
    this.#showAnswers();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#changes.disconnect();
    document.removeEventListener('visibilitychange', this.#ask);
    clearInterval(this.#timer);
    if (this.#host) this.#host.itemActions = this.#others;
    this.#shown = '';
  }

  get #client() {
    const { endpoint = '', headers, apiKey } = this.#host ?? {};
    return createClient({ endpoint, headers, apiKey });
  }

  /** Follows the element to another session. */
  readonly #follow = (): void => {
    const sessionId = this.#host?.getAttribute('session-id') ?? null;
    const locale = matchLocale(this.#host?.locale || nearestLanguage(this));
    if (locale !== this.#i18n.locale) {
      this.#i18n = createI18n({ locale, messages: TEXTS[locale] ?? {} });
      this.requestUpdate();
      this.#showAnswers();
    }
    if (sessionId === this.#sessionId) return;
    this.#sessionId = sessionId;
    this.made = null;
    this.shares = [];
    this.#showAnswers();
    void this.#load();
  };

  readonly #ask = (): void => {
    this.#follow();
    if (!document.hidden && this.shares.some(isLive)) void this.#load();
  };

  async #load(): Promise<void> {
    const sessionId = this.#sessionId;
    if (sessionId === null) return;
    const listed = await this.#client.listShares(sessionId).catch(() => null);
    if (!listed || sessionId !== this.#sessionId) return;
    this.shares = listed.shares;
    this.#showAnswers();
  }

  /** Hands the latest answer about each image to the rows of the element. */
  #showAnswers(): void {
    const latest = new Map<string, ShareAnswer>();
    for (const answer of this.shares.flatMap(({ answers }) => answers)) {
      const known = latest.get(answer.imageId);
      if (!known || known.at < answer.at) latest.set(answer.imageId, answer);
    }
    const state = JSON.stringify([...latest.values(), this.#i18n.locale]);
    if (!this.#host || state === this.#shown) return;
    this.#shown = state;
    const others = this.#others;
    const i18n = this.#i18n;
    // A new function each time: rows compare it with the one before.
    this.#host.itemActions = (item) => {
      const answer = latest.get(item.imageId ?? '');
      const note = answer ? html`<io-share-answer .i18n=${i18n} .answer=${answer}></io-share-answer>` : nothing;
      return html`${note}${others?.(item) ?? nothing}`;
    };
  }

  /** Does one thing at a time: a second press does nothing. */
  async #try(work: () => Promise<void>): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    this.failed = false;
    try {
      await work();
    } catch {
      this.failed = true;
    }
    this.#busy = false;
  }

  readonly #create = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const [days, sender] = [Number(given.get('days')), String(given.get('sender'))];
    const sessionId = this.#sessionId;
    if (sessionId === null) return;
    void this.#try(async () => {
      const made = await this.#client.createShare(sessionId, { days, sender });
      if (sessionId !== this.#sessionId) return;
      this.made = made;
      this.copied = false;
      await this.#load();
    });
  };

  #revoke(id: string): void {
    const sessionId = this.#sessionId;
    if (sessionId === null) return;
    void this.#try(async () => {
      await this.#client.revokeShare(sessionId, id);
      if (this.made?.id === id) this.made = null;
      await this.#load();
      await this.updateComplete;
      // The pressed button was removed.
      if (!this.shadowRoot?.activeElement) this.shadowRoot?.querySelector<HTMLElement>('h2')?.focus();
    });
  }

  readonly #copy = (): void => {
    void this.#try(async () => {
      await navigator.clipboard.writeText(this.made?.url ?? '');
      this.copied = true;
    });
  };

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog');
  }

  protected override render(): TemplateResult | typeof nothing {
    const { t, dir, locale } = this.#i18n;
    if (this.#sessionId === null) return nothing;
    return html`
      <button type="button" class="button" aria-haspopup="dialog" @click=${() => this.#dialog?.showModal()}>${t('button')}</button>
      <dialog aria-labelledby="title" dir=${dir} lang=${locale}>
        <div class="content">
          <h2 id="title" tabindex="-1">${t('title')}</h2>
          <p class="muted">${t('note')}</p>
          <form class="row" @submit=${this.#create}>
            <label class="field wide"><span class="label">${t('sender')}</span>
              <input class="input" name="sender" maxlength="80" dir="auto" autocomplete="organization" aria-describedby="sender-hint" />
              <span class="hint" id="sender-hint">${t('sender-hint')}</span>
            </label>
            <label class="field"><span class="label">${t('days')}</span>
              <select class="input" name="days">
                ${DAYS.map((count) => html`<option value=${count} ?selected=${count === 7}>${t('count', { count })}</option>`)}
              </select>
            </label>
            <button class="button primary">${t('create')}</button>
          </form>
          ${this.made ? this.#renderMade(this.made) : nothing}
          <p role="alert">${this.failed ? t('failed') : nothing}</p>
          <ul class="links">${this.shares.map((share) => this.#renderShare(share))}</ul>
          <div class="row end"><button type="button" class="button" @click=${() => this.#dialog?.close()}>${t('close')}</button></div>
        </div>
      </dialog>
    `;
  }

  #renderMade({ url }: CreatedShare): TemplateResult {
    const { t } = this.#i18n;
    return html`
      <div class="new">
        <div class="row">
          <label class="field"><span class="label">${t('link')}</span>
            <input class="input" readonly dir="ltr" .value=${url} @focus=${({ target }: Event) => (target as HTMLInputElement).select()} /></label>
          <button type="button" class="button" @click=${this.#copy}>${t(this.copied ? 'copied' : 'copy')}</button>
        </div>
        <p class="hint" role="status">${t('once')}</p>
      </div>
    `;
  }

  #renderShare(share: Share): TemplateResult {
    const { t, locale } = this.#i18n;
    const date = new Intl.DateTimeFormat(locale, { ...DIGITS, dateStyle: 'medium', timeStyle: 'short' }).format(
      new Date(share.expiresAt),
    );
    const text = isLive(share) ? t('live', { date }) : t(share.revokedAt ? 'withdrawn' : 'over');
    return html`
      <li><span>${text}</span>
        ${isLive(share) ? html`<button type="button" class="button" aria-label="${t('revoke')}: ${text}" @click=${() => this.#revoke(share.id)}>${t('revoke')}</button>` : nothing}</li>
    `;
  }
}

function isLive({ revokedAt, expiresAt }: Share): boolean {
  return revokedAt === null && Date.parse(expiresAt) > Date.now();
}
