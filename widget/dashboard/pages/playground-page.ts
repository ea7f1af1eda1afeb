import { css, html, nothing, type TemplateResult } from 'lit';
import type { AccountOptions } from '#contract';
import type { ImageOptimizer } from '../../index.ts';
import { accountClient } from '../account-client.ts';
import { DashboardPage } from '../dashboard-page.ts';
import { language, STRINGS } from '../language.ts';

const SESSION = 'imagewright-playground-session';

/** Page with the element, signed in by the browser's cookie. */
export class PlaygroundPage extends DashboardPage {
  static override styles = [
    ...DashboardPage.styles,
    css`
      .stage {
        min-block-size: 320px;
      }
    `,
  ];

  static override properties = { ready: { state: true }, descriptions: { state: true } };

  /** True once the element is defined. */
  declare ready: boolean;
  /** Place of the vision model; null until known. */
  declare descriptions: AccountOptions['descriptions'] | null;

  readonly #session = sessionStorage.getItem(SESSION);

  constructor() {
    super();
    this.ready = false;
    this.descriptions = null;
    void this.load(async () => {
      this.descriptions = (await accountClient.options()).descriptions;
    });
    // The element is the largest part of the dashboard and not needed by other pages.
    void this.load(async () => {
      await import('../../define.ts');
      this.ready = true;
    });
  }

  protected override render(): TemplateResult {
    const { lead, descriptions } = STRINGS.playground;
    const { descriptions: where } = this;
    return html`<p class="lead">${lead} ${where === 'off' || !where ? '' : descriptions[where]}</p>
      ${this.renderProblem()}
      <div class="stage">${this.ready ? this.#renderElement() : nothing}</div>`;
  }

  #renderElement(): TemplateResult {
    return html`<image-optimizer
      .sessionId=${this.#session}
      locale=${language().locale}
      @io-upload=${this.#remember}
      @io-remove=${this.#remember}
      @io-export=${() => this.tell('dash-stale')}
      @io-error=${this.#recover}
    ></image-optimizer>`;
  }

  /** Restores the images after a reload of this tab. */
  #remember({ currentTarget }: Event): void {
    const { sessionId } = currentTarget as ImageOptimizer;
    if (sessionId) sessionStorage.setItem(SESSION, sessionId);
    else sessionStorage.removeItem(SESSION);
  }

  #recover({ detail }: CustomEvent<{ phase: string; error: { status?: number } }>): void {
    if (detail.error.status === 401) this.tell('dash-logged-out');
    // A deleted session, or one of another account, is not requested again.
    else if (detail.phase === 'attach' && detail.error.status === 404) sessionStorage.removeItem(SESSION);
    else this.tell('dash-stale');
  }
}
customElements.define('playground-page', PlaygroundPage);
