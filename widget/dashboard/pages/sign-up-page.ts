import { html, nothing, type TemplateResult } from 'lit';
import { accountClient } from '../account-client.ts';
import { STRINGS } from '../language.ts';
import { BASE } from '../router.ts';
import { RequestLinkPage } from './request-link.ts';

/** Page to request a link that creates an account, if sign-up is open. */
export class SignUpPage extends RequestLinkPage {
  protected override render(): TemplateResult {
    const { welcome, titles } = STRINGS;
    return html`${this.renderProblem()}${this.#renderContent()}
      <p>${welcome.haveAccount} <a href="${BASE}/log-in">${titles.logIn}</a></p>`;
  }

  #renderContent(): TemplateResult | typeof nothing {
    const { welcome, titles } = STRINGS;
    if (!this.options) return nothing;
    if (this.options.signUp === 'closed') return html`<p class="notice">${welcome.closed}</p>`;
    return this.renderRequest(
      { mail: welcome.signUpLead, operator: welcome.signUpLeadOperator },
      titles.signUp,
      accountClient.signUp,
    );
  }
}
customElements.define('sign-up-page', SignUpPage);
