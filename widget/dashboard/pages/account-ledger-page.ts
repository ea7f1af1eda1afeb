import { html, nothing, type TemplateResult } from 'lit';
import type { AccountView } from '#contract';
import { accountClient } from '../account-client.ts';
import { DashboardPage } from '../dashboard-page.ts';
import { STRINGS } from '../language.ts';
import '../ledger-view.ts';
import { BASE } from '../router.ts';

const { operator: texts } = STRINGS;

/** Page for operators: the ledger of the account that the address names. */
export class AccountLedgerPage extends DashboardPage {
  static override properties = { account: { state: true }, missing: { state: true } };

  /** Null until loaded. */
  declare account: AccountView | null;
  declare missing: boolean;

  constructor() {
    super();
    this.account = null;
    this.missing = false;
    void this.load(async () => {
      const search = new URLSearchParams(location.search).get('account') ?? '';
      const { accounts } = await accountClient.accounts({ search });
      this.account = accounts.find(({ id }) => id === search) ?? null;
      this.missing = !this.account;
    });
  }

  protected override render(): TemplateResult {
    const { account } = this;
    return html`${account ? html`<p class="lead">${texts.ledgerOf({ email: account.email })}</p>` : nothing}
      ${this.renderProblem()}${this.missing ? html`<p class="empty">${texts.none}</p>` : nothing}
      ${account ? html`<ledger-view source="/account/operator/accounts/${account.id}/ledger"></ledger-view>` : nothing}
      <p><a href="${BASE}/operator">${texts.backToAccounts}</a></p>`;
  }
}
customElements.define('account-ledger-page', AccountLedgerPage);
