import { css, html, nothing, type TemplateResult } from 'lit';
import type { CheckLine, InstallationCheck } from '#contract';
import { icon } from '../styles/index.ts';
import { accountClient } from './account-client.ts';
import { DashboardPage } from './dashboard-page.ts';
import { formatTime } from './format-figures.ts';
import { STRINGS } from './language.ts';

const { check: texts } = STRINGS;
const BADGES: Record<CheckLine['state'], string> = { ok: 'success', warning: 'warning', fault: 'danger', off: 'ring' };

const styles = css`
  :host {
    display: block;
  }
  /* The rows stand below each other, so that their texts begin at one edge. */
  .rows > li {
    display: grid;
    justify-content: stretch;
    gap: 2px;
  }
  .rows p {
    max-inline-size: 90ch;
    overflow-wrap: anywhere;
  }
  .tried {
    color: var(--_muted);
    font-size: var(--_t13);
  }
  .remedy {
    font-weight: 600;
  }
`;

/** Card for operators: tries what the service needs, and says what came and what to do. */
export class InstallationCheckCard extends DashboardPage {
  static override styles = [...DashboardPage.styles, styles];
  static override properties = { check: { state: true }, isRunning: { state: true } };

  /** Null before the first check. */
  declare check: InstallationCheck | null;
  declare isRunning: boolean;

  constructor() {
    super();
    this.check = null;
    this.isRunning = false;
  }

  protected override render(): TemplateResult {
    return html`<section class="card" aria-labelledby="check">
      <div class="bar">
        <h2 id="check">${texts.title}</h2>
        <div class="actions">
          ${this.check && !this.isRunning ? html`<span class="muted">${texts.checked({ at: formatTime(this.check.checkedAt) })}</span>` : nothing}
          <button class="button" ?disabled=${this.isRunning} @click=${this.#run}>${this.isRunning ? texts.running : texts.run}</button>
        </div>
      </div>
      <p>${texts.lead}</p>
      ${this.renderProblem()}
      <div role="status">${this.check && !this.isRunning ? renderVerdict(this.check) : nothing}</div>
      ${this.check ? html`<ul class="rows" role="list">${this.check.checks.map(renderLine)}</ul>` : nothing}
    </section>`;
  }

  async #run(): Promise<void> {
    this.isRunning = true;
    await this.load(async () => {
      this.check = await accountClient.checkInstallation();
    });
    this.isRunning = false;
  }
}
customElements.define('installation-check', InstallationCheckCard);

function renderVerdict({ checks }: InstallationCheck): TemplateResult {
  const count = (wanted: CheckLine['state']) => checks.filter(({ state }) => state === wanted).length;
  const [faults, warnings] = [count('fault'), count('warning')];
  const also = warnings > 0 ? texts.warnings({ count: warnings }) : '';
  if (faults === 0) {
    const kind = warnings > 0 ? 'warning' : 'success';
    return html`<p class="notice ${kind}">${icon(warnings > 0 ? 'alert' : 'check')}<span class="content">${texts.good} ${also}</span></p>`;
  }
  return html`<p class="notice danger">${icon('alert')}<span class="content">${texts.faults({ count: faults })} ${also}</span></p>`;
}

/** Marks a detail as English; it begins at the edge of the page's language. */
const english = (text: string) => html`<span lang="en" dir="ltr">${text}</span>`;

/** The service writes the details in English, with names of settings. */
function renderLine({ part, state, tried, found, remedy }: CheckLine): TemplateResult {
  return html`<li>
    <p class="title"><span class="badge ${BADGES[state]}">${texts.states[state]}</span> ${texts.parts[part]}</p>
    <p class="tried">${english(tried)}</p>
    <p>${english(found)}</p>
    ${remedy ? html`<p class="remedy">${english(remedy)}</p>` : nothing}
  </li>`;
}
