import { css, html, nothing, type TemplateResult } from 'lit';
import { DashboardPage } from '../dashboard-page.ts';
import { formatNumber } from '../format-figures.ts';
import '../ledger-view.ts';
import { STRINGS } from '../language.ts';

const { credits: texts, overview } = STRINGS;

const styles = css`
  .figures {
    display: flex;
    flex-wrap: wrap;
    gap: 14px 44px;
    margin: 0;
  }
`;

/** Page of the own credits: balance, how to get more, and the ledger. */
export class CreditsPage extends DashboardPage {
  static override styles = [...DashboardPage.styles, styles];

  protected override render(): TemplateResult {
    return html`<p class="lead">${texts.lead}</p>
      <div class="columns">
        <section class="card" aria-label=${overview.balance}>${this.#renderFigures()}</section>
        <section class="card" aria-labelledby="top-up">
          <h2 id="top-up">${texts.topUpTitle}</h2>
          <p>${texts.topUp}</p>
        </section>
      </div>
      <ledger-view source="/account/ledger"></ledger-view>`;
  }

  #renderFigures(): TemplateResult | typeof nothing {
    if (!this.profile) return nothing;
    const { balance, used, granted } = this.profile;
    const figure = (name: string, value: number) =>
      html`<div class="figure"><dt>${name}</dt><dd>${formatNumber(value)}</dd></div>`;
    return html`<dl class="figures">
      ${figure(overview.balance, balance)}${figure(texts.used, used)}${figure(texts.granted, granted)}
    </dl>`;
  }
}
customElements.define('credits-page', CreditsPage);
