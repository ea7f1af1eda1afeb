import { html, type TemplateResult } from 'lit';
import { DashboardPage } from '../dashboard-page.ts';
import { STRINGS } from '../language.ts';
import { BASE } from '../router.ts';

const { docs: texts } = STRINGS;

const tour = (api: string) => `curl -H 'X-API-Key: iw_…' ${api}/credits/balance
curl -H 'X-API-Key: iw_…' -F images=@photo.jpg ${api}/sessions`;

const element = (origin: string) => `<script type="module" src="${origin}/widget/define.js"></script>

<image-optimizer endpoint="https://your-site.example/imagewright"></image-optimizer>`;

/** Shows the address of the API and a link to its reference. */
export class DocsPage extends DashboardPage {
  protected override render(): TemplateResult {
    const { origin } = location;
    return html`<p class="lead">${texts.lead}</p>
      <div class="columns">
        <section class="card" aria-labelledby="reference">
          <h2 id="reference">${texts.reference}</h2>
          <p>${texts.referenceText}</p>
          <div class="actions">
            <a class="button primary" href="/docs">${texts.reference}</a>
            <a class="button" href="/v1/openapi.json">${texts.openApi}</a>
          </div>
        </section>
        <section class="card" aria-labelledby="base">
          <h2 id="base">${texts.base}</h2>
          <pre dir="ltr" tabindex="0" role="group" aria-label=${texts.base}><code>${origin}/v1</code></pre>
          <p>${texts.header} <code dir="ltr">X-API-Key: iw_…</code> · <a href="${BASE}/settings/keys">${texts.getKey}</a></p>
        </section>
      </div>
      <section class="card" aria-labelledby="tour">
        <h2 id="tour">${texts.tour}</h2>
        <p>${texts.tourText}</p>
        <pre dir="ltr" tabindex="0" role="group" aria-label=${texts.tour}><code>${tour(`${origin}/v1`)}</code></pre>
      </section>
      <section class="card" aria-labelledby="element">
        <h2 id="element">${texts.element}</h2>
        <p>${texts.elementText}</p>
        <pre dir="ltr" tabindex="0" role="group" aria-label=${texts.element}><code>${element(origin)}</code></pre>
      </section>`;
  }
}
customElements.define('docs-page', DocsPage);
