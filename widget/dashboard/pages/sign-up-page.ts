import { html, nothing, type TemplateResult } from 'lit';
import type { AccountOptions } from '#contract';
import { accountClient } from '../account-client.ts';
import { BASE } from '../router.ts';
import { STRINGS } from '../strings.ts';
import { RequestLinkPage } from './request-link.ts';

/** Page to request a link that creates an account, if sign-up is open. */
export class SignUpPage extends RequestLinkPage {
  static override properties = { options: { state: true } };

  /** Null until loaded. */
  declare options: AccountOptions | null;

  constructor() {
    super();
    this.options = null;
    void this.load(async () => {
      this.options = await accountClient.options();
    });
  }

  protected override render(): TemplateResult {
    const { welcome, titles } = STRINGS;
    return html`${this.renderProblem()}${this.#renderContent()}
      <p>${welcome.haveAccount} <a href="${BASE}/log-in">${titles.logIn}</a></p>`;
  }

  #renderContent(): TemplateResult | typeof nothing {
    const { welcome, titles } = STRINGS;
    if (!this.options) return nothing;
    if (this.options.signUp === 'closed') return html`<p class="notice">${welcome.closed}</p>`;
    return this.renderRequest(welcome.signUpLead, titles.signUp, accountClient.signUp);
  }
}
customElements.define('sign-up-page', SignUpPage);
