import { html, type TemplateResult } from 'lit';
import { accountClient } from '../account-client.ts';
import { STRINGS } from '../language.ts';
import { BASE } from '../router.ts';
import { RequestLinkPage } from './request-link.ts';

/** Page to request a link to set a new password. */
export class ForgotPage extends RequestLinkPage {
  protected override render(): TemplateResult {
    const { welcome, titles } = STRINGS;
    return html`${this.renderProblem()}${this.renderRequest({ mail: welcome.forgotLead, operator: welcome.forgotLeadOperator }, titles.forgot, accountClient.requestReset)}
      <p><a href="${BASE}/log-in">${welcome.backToLogIn}</a></p>`;
  }
}
customElements.define('forgot-page', ForgotPage);
