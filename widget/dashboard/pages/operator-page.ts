import { css, html, nothing, type TemplateResult } from 'lit';
import type { AccountView } from '#contract';
import { icon } from '../../styles/index.ts';
import { badgesOf, managePageOf } from '../account-badges.ts';
import { type Audit, accountClient } from '../account-client.ts';
import type { FormValues } from '../dash-form.ts';
import { formatAgo } from '../format-figures.ts';
import { STRINGS } from '../language.ts';
import { ListPage, type ListPart } from '../list-page.ts';
import '../dash-dialog.ts';
import '../dash-form.ts';
import { BASE } from '../router.ts';
import '../secret-field.ts';

const { operator: texts } = STRINGS;

const styles = css`
  .search {
    display: flex;
    align-items: end;
    gap: 8px;
    max-inline-size: 480px;
  }
  .search .field {
    flex: 1;
  }
`;

/** Page for operators: all accounts, and the audit of the ledger. */
export class OperatorPage extends ListPage<AccountView, { search?: string }> {
  static override styles = [...ListPage.styles, styles];
  static override properties = {
    inviting: { state: true },
    link: { state: true },
    plans: { state: true },
    audit: { state: true },
  };

  declare inviting: boolean;
  /** Link of the account created last, if it was not sent by mail. */
  declare link: string | null;
  declare plans: string[];
  declare audit: Audit | null;

  constructor() {
    super();
    this.inviting = false;
    this.link = null;
    this.plans = [];
    this.audit = null;
    void this.fetch();
    void this.load(async () => {
      this.plans = (await accountClient.plans()).plans.map(({ name }) => name);
    });
  }

  protected override async read(query: { search?: string; cursor?: string }): Promise<ListPart<AccountView>> {
    const { accounts, nextCursor } = await accountClient.accounts(query);
    return { lines: accounts, nextCursor };
  }

  protected override render(): TemplateResult {
    return html`<p class="lead">${texts.lead}</p>
      <section class="card" aria-labelledby="accounts">
        <div class="bar">
          <h2 id="accounts">${STRINGS.titles.operator}</h2>
          <button class="button primary" @click=${this.#invite}>${icon('add')}${texts.invite}</button>
        </div>
        ${this.#renderSearch()}${this.renderProblem()}${this.lines ? this.#renderAccounts(this.lines) : nothing}
      </section>
      ${this.#renderAudit()}${this.inviting ? this.#renderInvitation() : nothing}`;
  }

  #renderSearch(): TemplateResult {
    return html`<form class="search" role="search" @submit=${this.#submitSearch}>
      <div class="field">
        <label class="label" for="search">${texts.search}</label>
        <input class="input" id="search" name="search" type="search" aria-describedby="search-hint" maxlength="254" />
      </div>
      <button class="button">${texts.search}</button>
    </form>
    <p class="hint" id="search-hint">${texts.searchHint}</p>`;
  }

  #renderAccounts(accounts: AccountView[]): TemplateResult {
    if (accounts.length === 0) return html`<p class="empty">${texts.none}</p>`;
    return html`<ul class="rows">
        ${accounts.map((account) => this.#renderAccount(account))}
      </ul>
      ${this.renderMore()}`;
  }

  #renderAccount(account: AccountView): TemplateResult {
    const { id, email, plan, balance, used, keys, lastLoginAt } = account;
    return html`<li>
      <div class="what">
        <h3 class="title">
          <bdi>${email}</bdi> ${badgesOf(account, id === this.profile?.accountId)}
        </h3>
        <p class="details">
          <span>${plan}</span>
          <span>${texts.balance({ count: balance })}</span><span>${texts.used({ count: used })}</span>
          <span>${STRINGS.overview.keys({ used: keys.used, count: keys.limit })}</span>
          <span>${lastLoginAt ? texts.lastLogin({ at: formatAgo(lastLoginAt) }) : texts.never}</span>
        </p>
      </div>
      <a class="button" href="${BASE}/${managePageOf(id)}" aria-label=${texts.manageLabel({ email })}>${texts.manage}</a>
    </li>`;
  }

  #renderInvitation(): TemplateResult {
    const close = () => {
      this.inviting = false;
    };
    const options = this.plans.map((plan) => ({ value: plan, label: plan }));
    const fields = [
      { name: 'email', label: STRINGS.email, type: 'email' },
      { name: 'plan', label: texts.plan, options },
    ];
    return html`<dash-dialog heading=${texts.invite} @dash-close=${close}>
      ${
        this.link
          ? html`<p>${texts.inviteLink}</p>
              <secret-field label=${texts.invite} .value=${this.link}></secret-field>`
          : html`<dash-form
              label=${texts.invite}
              action=${texts.inviteAction}
              .fields=${fields}
              .send=${({ email = '', plan = '' }: FormValues) => accountClient.invite(email, plan || undefined)}
              @dash-done=${this.#showInvited}
            ></dash-form>`
      }
    </dash-dialog>`;
  }

  #renderAudit(): TemplateResult {
    return html`<section class="card" aria-labelledby="audit">
      <div class="bar">
        <h2 id="audit">${texts.audit}</h2>
        <button class="button" @click=${this.#runAudit}>${texts.auditRun}</button>
      </div>
      <p>${texts.auditText}</p>
      <div role="status">${this.audit ? renderVerdict(this.audit) : nothing}</div>
    </section>`;
  }

  #invite(): void {
    this.link = null;
    this.inviting = true;
  }

  #showInvited({ detail }: CustomEvent<{ account: AccountView; link: string | null }>): void {
    this.link = detail.link;
    if (!detail.link) this.inviting = false;
    const invited = detail.link ? texts.invitedByLink : texts.invitedByMail;
    this.tell('dash-say', invited({ email: detail.account.email }));
    void this.fetch();
  }

  #submitSearch(event: SubmitEvent): void {
    event.preventDefault();
    void this.choose(event.currentTarget as HTMLFormElement);
  }

  #runAudit(): void {
    void this.load(async () => {
      this.audit = await accountClient.audit();
    });
  }
}
customElements.define('operator-page', OperatorPage);

function renderVerdict({ ok, broken, figures }: Audit): TemplateResult {
  if (ok) {
    const accounts = texts.auditAccounts({ count: figures.accounts });
    const entries = texts.auditEntries({ count: figures.lines });
    const text = texts.auditOk({ accounts, entries });
    return html`<p class="notice success">${icon('check')}<span class="content">${text}</span></p>`;
  }
  return html`<div class="notice danger">
    ${icon('alert')}
    <div class="content">
      <strong>${texts.auditBroken({ count: broken.length })}</strong>
      <ul>
        ${broken.map(({ accountId, message }) => html`<li><code>${accountId}</code> ${message}</li>`)}
      </ul>
    </div>
  </div>`;
}
