// Owns the account dashboard: pages over the endpoints below /account. Knows the element, its styles and the contract's types.
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { Profile } from '#contract';
import { ApiError } from '../../plugin-bridge/sdk/index.ts';
import { controls, foundation, tokens } from '../styles/index.ts';
import { accountClient } from './account-client.ts';
import { appStyles } from './dash-app.styles.ts';
import type { DashboardEvents, DashboardPage } from './dashboard-page.ts';
import { explainError } from './explain-error.ts';
import { firstVisit } from './first-visit.ts';
import './pages/index.ts';
import './password-prompt.ts';
import { FollowLanguage, preferredLanguage, STRINGS, showLanguage } from './language.ts';
import { brand, renderChoices, renderSide } from './render-frame.ts';
import { BASE, Router } from './router.ts';
import { NOT_FOUND, ROUTES, type Route, titleOf } from './routes.ts';
import { applyTheme, readTheme } from './theme.ts';
import { visitorStyles } from './visitor.styles.ts';

/** Duration of a confirmation message, in milliseconds. */
const TOAST_MS = 6000;

/** Frame of the dashboard: signed-in user, current page, messages. */
export class DashApp extends LitElement {
  static override styles = [tokens, foundation, ...controls, appStyles, visitorStyles];
  static override properties = {
    profile: { state: true },
    page: { state: true },
    menuOpen: { state: true },
    said: { state: true },
    problem: { state: true },
    suspended: { state: true },
  };

  /** Undefined until loaded; null for a visitor. */
  declare profile: Profile | null | undefined;
  declare page: string;
  declare menuOpen: boolean;
  declare said: string;
  declare problem: string;
  /** True for a log-in of a suspended account. */
  declare suspended: boolean;

  #router: Router | null = null;
  #route: Route = NOT_FOUND;
  #element: DashboardPage | null = null;
  #toast: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.profile = undefined;
    this.page = '';
    this.menuOpen = false;
    this.said = '';
    this.problem = '';
    this.suspended = false;
    this.#listen('dash-logged-in', (profile) => this.#logIn(profile));
    this.#listen('dash-logged-out', () => this.#sendToLogIn());
    this.#listen('dash-suspended', () => this.#showSuspended());
    this.#listen('dash-stale', () => void this.#refresh());
    this.#listen('dash-moved', (page) => this.#router?.go(page));
    this.#listen('dash-say', (text) => this.#say(text));
    new FollowLanguage(this);
    applyTheme(readTheme());
    void this.#start(firstVisit, showLanguage(preferredLanguage()));
  }

  protected override render(): TemplateResult {
    return html`<div class="app">
      ${this.profile === undefined ? this.#renderWaiting() : this.#renderPage(this.profile)}
      <password-prompt></password-prompt>
      <div class="toast" role="status">${this.said ? html`<p>${this.said}</p>` : nothing}</div>
    </div>`;
  }

  #renderWaiting(): TemplateResult {
    if (this.suspended) return this.#renderSuspended();
    // The slot has the brand of index.html.
    if (!this.problem)
      return html`<main aria-busy="true"><h1 class="visually-hidden">${STRINGS.loading}</h1><slot></slot></main>`;
    return html`<main>
      <h1>${STRINGS.brand}</h1>
      <p class="notice danger" role="alert">${this.problem}</p>
      <div><button class="button primary" @click=${() => void this.#start()}>${STRINGS.retry}</button></div>
    </main>`;
  }

  /** Renders what a suspended account sees: the reason, and the way out. */
  #renderSuspended(): TemplateResult {
    const { suspendedTitle, suspended } = STRINGS.account;
    return html`<main>
      <h1>${suspendedTitle}</h1>
      <p class="notice danger" role="alert">${suspended}</p>
      <div class="actions">
        <button class="button primary" @click=${() => void this.#logOut()}>${STRINGS.logOut}</button>
        <button class="button" @click=${() => void this.#start()}>${STRINGS.retry}</button>
      </div>
    </main>`;
  }

  #renderPage(profile: Profile | null): TemplateResult {
    if (this.#element) this.#element.profile = profile;
    document.title = `${titleOf(this.#route)} – ${STRINGS.brand}`;
    const content = html`<main id="content">
      <h1 tabindex="-1">${titleOf(this.#route)}</h1>
      ${this.#element}
    </main>`;
    if (!profile || this.#isLinkPage()) return html`<div class="visitor">${this.#renderWelcome()}${content}</div>`;
    const { page, menuOpen } = this;
    const onMenu = () => {
      this.menuOpen = !this.menuOpen;
    };
    const onLogOut = () => void this.#logOut();
    const onSkip = () => void this.#focusHeading();
    return html`<div class="layout">
      ${renderSide({ profile, page, menuOpen, onMenu, onLogOut, onSkip })}${content}
    </div>`;
  }

  #renderWelcome(): TemplateResult {
    const { motto, lead, points } = STRINGS.welcome;
    return html`<header class="side">
      <div class="head">${brand()}</div>
      <div>
        <p class="motto">${motto}</p>
        <p class="lead">${lead}</p>
        <ul class="points">
          ${Object.values(points).map((point) => html`<li>${point}</li>`)}
        </ul>
      </div>
      ${renderChoices()}
    </header>`;
  }

  /** Tests for the page of one-time links, which does not depend on the signed-in user. */
  #isLinkPage(): boolean {
    return this.#route.tag === 'link-page';
  }

  async #start(visit = accountClient.visit(), ready = Promise.resolve()): Promise<void> {
    this.problem = '';
    this.suspended = false;
    try {
      const [{ profile }] = await Promise.all([visit, ready]);
      // Rendering is a task of its own, apart from the start of the program: taps are answered in between.
      await new Promise((go) => setTimeout(go));
      this.profile = profile;
    } catch (error) {
      this.problem = explainError(error).text;
      this.suspended = error instanceof ApiError && error.code === 'account_suspended';
      return;
    }
    this.#begin();
  }

  #begin(): void {
    this.#router ??= new Router((page) => this.#show(page));
  }

  /** Leaves the pages of an account that was suspended meanwhile. */
  #showSuspended(): void {
    this.suspended = true;
    this.profile = undefined;
  }

  #show(page: string): void {
    const route = ROUTES[page] ?? NOT_FOUND;
    const { profile } = this;
    if (route.for === 'visitor' && profile) this.#later('', { replace: true });
    else if (['account', 'operator'].includes(route.for) && !profile) this.#sendToLogIn(page);
    else this.#open(page, route);
  }

  #open(page: string, route: Route): void {
    const { profile } = this;
    const shown = route.for === 'operator' && profile?.role !== 'operator' ? NOT_FOUND : route;
    const isFirst = !this.#element;
    if (shown !== this.#route || isFirst) {
      this.#route = shown;
      this.#element = document.createElement(shown.tag) as DashboardPage;
    }
    this.page = page;
    this.menuOpen = false;
    this.requestUpdate();
    if (!isFirst) {
      // The balance may have changed since; the first page shows that of the visit.
      if (profile) void this.#refresh();
      window.scrollTo(0, 0);
      void this.#focusHeading();
    }
  }

  /** Redirects in a microtask, since the router reports the first page while it is constructed. */
  #later(page: string, options: { replace: boolean }): void {
    queueMicrotask(() => this.#router?.go(page, options));
  }

  async #focusHeading(): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector('h1')?.focus();
  }

  #sendToLogIn(page = this.page): void {
    // Several requests of one page may fail.
    if (ROUTES[page]?.for === 'visitor') return;
    if (this.profile) this.#say(STRINGS.welcome.expired);
    this.profile = null;
    this.#later(page ? `log-in?next=${encodeURIComponent(page + location.search)}` : 'log-in', { replace: true });
  }

  #logIn(profile: Profile): void {
    this.profile = profile;
    const next = new URLSearchParams(location.search).get('next') ?? '';
    this.#router?.go(ROUTES[next]?.for === 'visitor' ? '' : next, { replace: true });
  }

  async #logOut(): Promise<void> {
    try {
      await accountClient.logOut();
    } catch (error) {
      const { text, loggedOut } = explainError(error);
      // The browser still has its cookie: whoever comes next would find this account.
      if (!loggedOut) return this.#say(text);
    }
    this.profile = null;
    this.suspended = false;
    this.problem = '';
    history.replaceState(null, '', `${BASE}/log-in`);
    if (this.#router) this.#router.go('log-in', { replace: true });
    else this.#begin();
    this.#say(STRINGS.loggedOut);
  }

  async #refresh(): Promise<void> {
    const profile = await accountClient.profile().catch((error: unknown) => {
      if (explainError(error).loggedOut) this.#sendToLogIn();
      return null;
    });
    // The user may have logged out meanwhile.
    if (profile && this.profile) this.profile = profile;
  }

  #say(text: string): void {
    clearTimeout(this.#toast);
    this.said = text;
    this.#toast = setTimeout(() => {
      this.said = '';
    }, TOAST_MS);
  }

  #listen<K extends keyof DashboardEvents>(name: K, handle: (detail: DashboardEvents[K]) => void): void {
    this.addEventListener(name, (event) => handle((event as CustomEvent).detail));
  }
}
customElements.define('dash-app', DashApp);
