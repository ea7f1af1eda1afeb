import { css, html, type TemplateResult } from 'lit';
import type { LedgerFilter, Transaction } from '#contract';
import { FORMATS, type ImageFormat } from '#contract/constants';
import { icon } from '../styles/index.ts';
import { accountClient, withQuery } from './account-client.ts';
import { formatMoment, formatNumber } from './format-figures.ts';
import { STRINGS } from './language.ts';
import { ListPage, type ListPart } from './list-page.ts';

const { credits: texts, overview } = STRINGS;

const styles = css`
  td .ref {
    display: block;
    color: var(--_muted);
    font-size: var(--_t12);
    overflow-wrap: anywhere;
  }
  td.plus {
    color: var(--_success);
    font-weight: 600;
  }
`;

/** Ledger of an account as a card, filtered by kind and day, with a download as CSV. */
export class LedgerView extends ListPage<Transaction, LedgerFilter> {
  static override styles = [...ListPage.styles, styles];
  static override properties = { source: {}, version: { attribute: false } };

  /** Path of the ledger, e.g. `/account/ledger`. */
  declare source: string;
  /** The entries are read again when it changes. */
  declare version: number;

  constructor() {
    super();
    this.source = '';
    this.version = 0;
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    if ((changed.has('source') || changed.has('version')) && this.source) void this.fetch();
  }

  protected override async read(query: LedgerFilter & { cursor?: string }): Promise<ListPart<Transaction>> {
    const { transactions, nextCursor } = await accountClient.ledger(this.source, { ...query, limit: 25 });
    return { lines: transactions, nextCursor };
  }

  protected override render(): TemplateResult {
    return html`<section class="card" aria-labelledby="ledger">
      <div class="bar">
        <h2 id="ledger">${texts.ledger}</h2>
        <a class="button" href=${withQuery(`${this.source}.csv`, this.filter)} download>${icon('download')}${texts.csv}</a>
      </div>
      ${this.#renderFilter()}${this.renderProblem()}${this.renderTable('ledger', { columns: this.#renderColumns(), line: renderLine })}
    </section>`;
  }

  #renderFilter(): TemplateResult {
    const date = (name: 'from' | 'to', label: string) =>
      html`<div class="field">
        <label class="label" for=${name}>${label}</label>
        <input class="input" id=${name} name=${name} type="date" aria-describedby="utc" />
      </div>`;
    return html`<form class="filter" aria-label=${texts.ledger} @change=${this.onFilter} @submit=${this.onFilter}>
        <div class="field">
          <label class="label" for="kind">${texts.kind}</label>
          <select class="input" id="kind" name="kind">
            <option value="">${texts.all}</option>
            ${Object.entries(texts.kinds).map(([kind, name]) => html`<option value=${kind}>${name}</option>`)}
          </select>
        </div>
        ${date('from', texts.from)}${date('to', texts.to)}
      </form>
      <p class="hint" id="utc">${texts.utc}</p>`;
  }

  #renderColumns(): TemplateResult {
    return html`<th scope="col">${texts.kind}</th>
      <th scope="col">${texts.at}</th>
      <th scope="col" class="end">${texts.change}</th>`;
  }
}
customElements.define('ledger-view', LedgerView);

function renderLine(line: Transaction): TemplateResult {
  const { kind, work, at, delta } = line;
  const name = work && kind === 'charge' ? overview.kinds[work.kind] : texts.kinds[kind];
  return html`<tr>
    <td>${name}<span class="ref" dir="auto">${describe(line)}</span></td>
    <td class="nowrap" data-label=${texts.at}><time datetime=${at}>${formatMoment(at)}</time></td>
    <td class="end ${delta > 0 ? 'plus' : ''}" data-label=${texts.change}><bdi dir="ltr">${delta > 0 ? '+' : '−'}${formatNumber(Math.abs(delta))}</bdi></td>
  </tr>`;
}

/** Says in words what an entry stands for. */
function describe({ kind, note, work, delta }: Transaction): string {
  if (note) return note;
  if (kind === 'refund') return texts.notMade({ images: overview.imageCount({ count: delta }) });
  if (kind !== 'charge') return '';
  const presets: Readonly<Record<string, string>> = texts.presets;
  const format = work?.format === 'original' ? texts.sameFormat : FORMATS[work?.format as ImageFormat]?.label;
  const files = [format, presets[work?.preset ?? '']].filter(Boolean).join(' ');
  return [overview.imageCount({ count: work?.images ?? -delta }), files].filter(Boolean).join(' · ');
}
