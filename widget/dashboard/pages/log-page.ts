import { css, html, nothing, type TemplateResult } from 'lit';
import type { LogChange, LogFilter, LogLine } from '#contract';
import { icon } from '../../styles/index.ts';
import { accountClient, withQuery } from '../account-client.ts';
import { DashboardPage } from '../dashboard-page.ts';
import { formatMoment } from '../format-figures.ts';
import { STRINGS } from '../language.ts';

const { log: texts, credits } = STRINGS;

const styles = css`
  td .details {
    display: block;
    color: var(--_muted);
    font-size: var(--_t12);
    overflow-wrap: anywhere;
  }
`;

/** Page for operators: the operator log, filtered by account, action and day, with downloads. */
export class LogPage extends DashboardPage {
  static override styles = [...DashboardPage.styles, styles];
  static override properties = { lines: { state: true }, cursor: { state: true }, filter: { state: true } };

  /** Null until loaded. */
  declare lines: LogLine[] | null;
  declare cursor: string | null;
  declare filter: LogFilter;

  constructor() {
    super();
    this.lines = null;
    this.cursor = null;
    this.filter = {};
    void this.#fetch();
  }

  protected override render(): TemplateResult {
    const file = (format: string, label: string) =>
      html`<a class="button" href=${withQuery(`/account/operator/log.${format}`, this.filter)} download>${icon('download')}${label}</a>`;
    return html`<p class="lead">${texts.lead}</p>
      <section class="card" aria-labelledby="log">
        <div class="bar">
          <h2 id="log">${STRINGS.titles.log}</h2>
          <div class="actions">${file('csv', texts.csv)}${file('jsonl', texts.jsonl)}</div>
        </div>
        ${this.#renderFilter()}${this.renderProblem()}${this.lines ? this.#renderLines(this.lines) : nothing}
      </section>`;
  }

  #renderFilter(): TemplateResult {
    const input = (name: 'account' | 'from' | 'to', label: string, type: string, hint: string) =>
      html`<div class="field">
        <label class="label" for=${name}>${label}</label>
        <input class="input" id=${name} name=${name} type=${type} aria-describedby=${hint} maxlength="254" />
      </div>`;
    return html`<form class="filter" aria-label=${STRINGS.titles.log} @change=${this.#choose} @submit=${this.#choose}>
        ${input('account', texts.account, 'search', 'account-hint')}
        <div class="field">
          <label class="label" for="action">${texts.action}</label>
          <select class="input" id="action" name="action">
            <option value="">${credits.all}</option>
            ${Object.entries(texts.actions).map(([action, name]) => html`<option value=${action}>${name}</option>`)}
          </select>
        </div>
        ${input('from', credits.from, 'date', 'utc')}${input('to', credits.to, 'date', 'utc')}
      </form>
      <p class="hint" id="account-hint">${texts.accountHint}</p>
      <p class="hint" id="utc">${credits.utc}</p>`;
  }

  #renderLines(lines: LogLine[]): TemplateResult {
    if (lines.length === 0) return html`<p class="empty">${credits.none}</p>`;
    return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="log">
        <table>
          <thead>
            <tr>
              <th scope="col">${texts.at}</th>
              <th scope="col">${texts.actor}</th>
              <th scope="col">${texts.action}</th>
              <th scope="col">${texts.account}</th>
            </tr>
          </thead>
          <tbody>
            ${lines.map(renderLine)}
          </tbody>
        </table>
      </div>
      ${this.cursor ? html`<div><button class="button" @click=${() => void this.#fetch(this.cursor)}>${credits.more}</button></div>` : nothing}`;
  }

  #choose(event: Event): void {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement));
    // Empty filters are left out.
    this.filter = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')) as LogFilter;
    void this.#fetch().then(() => this.tell('dash-say', credits.shown({ count: this.lines?.length ?? 0 })));
  }

  async #fetch(cursor: string | null = null): Promise<void> {
    const { filter } = this;
    await this.load(async () => {
      const page = await accountClient.operatorLog({ ...filter, limit: 25, ...(cursor ? { cursor } : {}) });
      // The response belongs to an earlier filter.
      if (filter !== this.filter) return;
      this.lines = cursor ? [...(this.lines ?? []), ...page.lines] : page.lines;
      this.cursor = page.nextCursor;
    });
  }
}
customElements.define('log-page', LogPage);

function renderLine({ at, actor, action, target, change, address }: LogLine): TemplateResult {
  return html`<tr>
    <td class="nowrap"><time datetime=${at}>${formatMoment(at)}</time></td>
    <td data-label=${texts.actor}><span>${actor.name ?? actor.accountId}<span class="details">${address}</span></span></td>
    <td data-label=${texts.action}><span>${texts.actions[action]}<span class="details">${describe(change)}</span></span></td>
    <td data-label=${texts.account}>${target ? (target.email ?? target.accountId) : ''}</td>
  </tr>`;
}

/** Details that say nothing to a person; the downloads have them. */
const RAW = new Set(['ref', 'keyId', 'line', 'from', 'to']);

/** Says in words what has changed. */
function describe(change: LogChange): string {
  const words: Readonly<Record<string, string>> = texts.details;
  const { from, to } = change;
  const named = Object.entries(change).filter(([name, value]) => !RAW.has(name) && value !== null && value !== '');
  const parts = named.map(([name, value]) => `${words[name] ?? name}: ${value}`);
  return [...(to === undefined ? [] : [`${from ?? '–'} → ${to ?? '–'}`]), ...parts].join(' · ');
}
