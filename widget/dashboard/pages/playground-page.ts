import { css, html, nothing, type TemplateResult } from 'lit';
import type { AccountOptions } from '#contract';
import type { ImageOptimizer } from '../../index.ts';
import { accountClient } from '../account-client.ts';
import { DashboardPage } from '../dashboard-page.ts';
import { language, STRINGS } from '../language.ts';
import { playgroundElement } from '../playground-session.ts';

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

  constructor() {
    super();
    this.ready = false;
    this.descriptions = null;
    void this.load(async () => {
      this.descriptions = (await accountClient.options()).descriptions;
    });
    // The element is the largest part of the dashboard and not needed by other pages.
    void this.load(async () => {
      await Promise.all([import('../../define.ts'), import('../../link/index.ts')]);
      this.ready = true;
    });
  }

  protected override render(): TemplateResult {
    const { lead, descriptions } = STRINGS.playground;
    const { descriptions: where } = this;
    return html`<p class="lead">${lead} ${where === 'off' || !where ? '' : descriptions[where]}</p>
      ${this.renderProblem()}
      <div class="stage" @io-export=${() => this.tell('dash-stale')} @io-error=${this.#recover}>${this.ready ? this.#element() : nothing}</div>`;
  }

  #element(): ImageOptimizer {
    return Object.assign(playgroundElement(this.profile?.accountId ?? ''), { locale: language().locale });
  }

  #recover({ detail }: CustomEvent<{ phase: string; error: { status?: number } }>): void {
    if (detail.error.status === 401) this.tell('dash-logged-out');
    else this.tell('dash-stale');
  }
}
customElements.define('playground-page', PlaygroundPage);
