import { css, html, nothing, type TemplateResult } from 'lit';
import type { AccountView } from '#contract';
import { icon } from '../../styles/index.ts';
import { badgesOf } from '../account-badges.ts';
import { accountClient } from '../account-client.ts';
import { DashboardPage } from '../dashboard-page.ts';
import { formatAgo, formatNumber } from '../format-figures.ts';
import { STRINGS } from '../language.ts';
import '../ledger-view.ts';
import { MANAGE_TABS, type ManageTab } from '../manage-account.ts';
import { BASE } from '../router.ts';

const { operator: texts, overview } = STRINGS;

const styles = css`
  .top {
    display: grid;
    gap: 12px;
  }
  .figures {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 140px), 1fr));
    gap: 12px 24px;
    margin: 0;
  }
  .figures dd {
    font-size: var(--_t16);
    line-height: 1.5;
  }
  /* One line: tabs that find no room are scrolled to. */
  .tabs {
    display: flex;
    gap: 4px;
    overflow-x: auto;
    box-shadow: inset 0 -1px var(--_border);
  }
  [role='tab'] {
    flex: none;
    min-block-size: 44px;
    padding: 4px 16px;
    border: 0;
    border-block-end: 2px solid transparent;
    background: none;
    color: var(--_muted);
    font: inherit;
    font-weight: 500;
    cursor: pointer;
  }
  [role='tab']:focus-visible {
    outline-offset: -2px;
  }
  [role='tab'][aria-selected='true'] {
    border-color: var(--_accent);
    color: var(--_text);
  }
  @media (max-width: 500px) {
    [role='tab'] {
      padding-inline: 12px;
    }
  }
  [role='tabpanel'] {
    display: grid;
    gap: 16px;
    min-inline-size: 0;
  }
`;

/** Page for operators: an account with its state and balance, and its credits, plan, log-in and end on tabs. */
export class ManagePage extends DashboardPage {
  static override styles = [...DashboardPage.styles, styles];
  static override properties = {
    account: { state: true },
    plans: { state: true },
    missing: { state: true },
    tab: { state: true },
    changes: { state: true },
  };

  /** Null until loaded. */
  declare account: AccountView | null;
  declare plans: string[];
  declare missing: boolean;
  declare tab: ManageTab;
  /** Count of changes, after each of which the ledger is read again. */
  declare changes: number;

  constructor() {
    super();
    const address = new URLSearchParams(location.search);
    this.account = null;
    this.plans = [];
    this.missing = false;
    this.tab = MANAGE_TABS.find((tab) => tab === address.get('tab')) ?? 'credits';
    this.changes = 0;
    void this.#fetch(address.get('account') ?? '');
    void this.load(async () => {
      this.plans = (await accountClient.plans()).plans.map(({ name }) => name);
    });
  }

  protected override render(): TemplateResult {
    const { account } = this;
    return html`<p class="lead"><a href="${BASE}/operator">${texts.backToAccounts}</a></p>
      ${this.renderProblem()}${this.missing ? html`<p class="empty">${texts.none}</p>` : nothing}
      ${account ? html`${renderTop(account, this.#isOwn(account))}${this.#renderTabs(account)}` : nothing}`;
  }

  #isOwn({ id }: AccountView): boolean {
    return id === this.profile?.accountId;
  }

  #renderTabs(account: AccountView): TemplateResult {
    const isOwn = this.#isOwn(account);
    // Operators neither suspend nor delete themselves.
    const tabs = MANAGE_TABS.filter((tab) => tab !== 'danger' || !isOwn);
    const tab = tabs.includes(this.tab) ? this.tab : 'credits';
    return html`<div class="tabs" role="tablist" aria-label=${account.email} @keydown=${(event: KeyboardEvent) => this.#step(event, tabs)}>
        ${tabs.map(
          (name) => html`<button
            type="button"
            role="tab"
            id="tab-${name}"
            aria-selected=${name === tab}
            aria-controls="panel"
            tabindex=${name === tab ? 0 : -1}
            @click=${() => this.#choose(name)}
          >
            ${texts.tabs[name]}
          </button>`,
        )}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby="tab-${tab}">
        <manage-account
          .account=${account}
          .plans=${this.plans}
          .tab=${tab}
          .isOwn=${isOwn}
          @dash-changed=${() => void this.#afterChange(account)}
          @dash-removed=${() => this.#afterRemoval(account)}
        ></manage-account>
        ${tab === 'credits' ? html`<ledger-view source="/account/operator/accounts/${account.id}/ledger" .version=${this.changes}></ledger-view>` : nothing}
      </div>`;
  }

  #choose(tab: ManageTab): void {
    this.tab = tab;
    const address = new URL(location.href);
    address.searchParams.set('tab', tab);
    history.replaceState(history.state, '', address);
  }

  /** Follows the arrow keys, in the direction of the text. */
  async #step(event: KeyboardEvent, tabs: ManageTab[]): Promise<void> {
    const isReversed = getComputedStyle(this).direction === 'rtl';
    const by = { ArrowRight: isReversed ? -1 : 1, ArrowLeft: isReversed ? 1 : -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = tabs.at((tabs.indexOf(this.tab) + by) % tabs.length);
    if (!next) return;
    this.#choose(next);
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }

  async #fetch(id: string): Promise<void> {
    await this.load(async () => {
      const { accounts } = await accountClient.accounts({ search: id });
      this.account = accounts.find((account) => account.id === id) ?? null;
      this.missing = !this.account;
    });
  }

  async #afterChange({ id }: AccountView): Promise<void> {
    await this.#fetch(id);
    this.changes += 1;
    this.tell('dash-stale');
  }

  #afterRemoval({ email }: AccountView): void {
    this.tell('dash-moved', 'operator');
    this.tell('dash-say', texts.removed({ email }));
  }
}
customElements.define('manage-page', ManagePage);

function renderTop(account: AccountView, isOwn: boolean): TemplateResult {
  const { email, plan, balance, used, keys, lastLoginAt, suspended } = account;
  const figure = (name: string, value: string) => html`<div class="figure"><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<section class="top" aria-labelledby="email">
    <h2 class="title" id="email"><bdi>${email}</bdi> ${badgesOf(account, isOwn)}</h2>
    ${suspended ? html`<p class="notice danger">${icon('alert')}<span class="content">${texts.suspendedNote}</span></p>` : nothing}
    <dl class="figures">
      ${figure(overview.balance, overview.credits({ count: balance }))}${figure(STRINGS.credits.used, formatNumber(used))}
      ${figure(texts.plan, plan)}${figure(STRINGS.titles.keys, overview.usedOf({ used: formatNumber(keys.used), limit: formatNumber(keys.limit) }))}
      ${figure(texts.lastLoginName, lastLoginAt ? formatAgo(lastLoginAt) : texts.never)}
    </dl>
  </section>`;
}
