import { html, type TemplateResult } from 'lit';
import { DashboardPage } from '../dashboard-page.ts';
import { STRINGS } from '../language.ts';
import { BASE } from '../router.ts';

/** Page for unknown addresses. */
export class NotFoundPage extends DashboardPage {
  protected override render(): TemplateResult {
    return html`<p class="lead">${STRINGS.notFound}</p>
      <p><a href=${BASE}>${STRINGS.toOverview}</a></p>`;
  }
}
customElements.define('not-found-page', NotFoundPage);
