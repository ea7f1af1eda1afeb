import { css, html, type TemplateResult } from 'lit';
import type { LogChange, LogFilter, LogLine } from '#contract';
import { icon } from '../../styles/index.ts';
import { accountClient, withQuery } from '../account-client.ts';
import { formatMoment } from '../format-figures.ts';
import { STRINGS } from '../language.ts';
import { ListPage, type ListPart } from '../list-page.ts';

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
export class LogPage extends ListPage<LogLine, LogFilter> {
  static override styles = [...ListPage.styles, styles];

  constructor() {
    super();
    void this.fetch();
  }

  protected override read(query: LogFilter & { cursor?: string }): Promise<ListPart<LogLine>> {
    return accountClient.operatorLog({ ...query, limit: 25 });
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
        ${this.#renderFilter()}${this.renderProblem()}${this.renderTable('log', { columns: this.#renderColumns(), line: renderLine })}
      </section>`;
  }

  #renderFilter(): TemplateResult {
    const input = (name: 'account' | 'from' | 'to', label: string, type: string, hint: string) =>
      html`<div class="field">
        <label class="label" for=${name}>${label}</label>
        <input class="input" id=${name} name=${name} type=${type} aria-describedby=${hint} maxlength="254" />
      </div>`;
    return html`<form class="filter" aria-label=${STRINGS.titles.log} @change=${this.onFilter} @submit=${this.onFilter}>
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

  #renderColumns(): TemplateResult {
    return html`<th scope="col">${texts.at}</th>
      <th scope="col">${texts.actor}</th>
      <th scope="col">${texts.action}</th>
      <th scope="col">${texts.account}</th>`;
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
