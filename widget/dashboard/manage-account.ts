import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { AccountView } from '#contract';
import { controls, foundation } from '../styles/index.ts';
import { accountClient } from './account-client.ts';
import type { FormValues } from './dash-form.ts';
import './dash-form.ts';
import type { Field } from './form-field.ts';
import { formatAgo, formatNumber } from './format-figures.ts';
import { FollowLanguage, STRINGS } from './language.ts';
import { pageStyles } from './page.styles.ts';
import './secret-field.ts';

const { operator: texts } = STRINGS;

/** Tabs of an account's page, in order. */
export const MANAGE_TABS = ['credits', 'plan', 'access', 'danger'] as const;
export type ManageTab = (typeof MANAGE_TABS)[number];

const styles = css`
  :host {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr));
    gap: 16px;
  }
  .whole {
    grid-column: 1 / -1;
  }
`;

/**
 * Actions of an operator on an account, those of one tab: credits; plan and role; link; suspension and deletion.
 *
 * @fires {CustomEvent} dash-changed - The account was changed.
 * @fires {CustomEvent} dash-removed - The account was deleted.
 */
export class ManageAccount extends LitElement {
  static override styles = [foundation, ...controls, pageStyles, styles];
  static override properties = {
    account: { attribute: false },
    plans: { attribute: false },
    isOwn: { attribute: false },
    tab: { attribute: false },
    told: { state: true },
    link: { state: true },
  };

  declare account: AccountView | null;
  declare plans: string[];
  /** True for the operator's own account, which they cannot suspend, demote or delete. */
  declare isOwn: boolean;
  declare tab: ManageTab;
  declare told: string;
  /** The link that was made last, if it was not mailed. */
  declare link: string | null;

  constructor() {
    super();
    new FollowLanguage(this);
    this.account = null;
    this.plans = [];
    this.isOwn = false;
    this.tab = 'credits';
    this.told = '';
    this.link = null;
  }

  protected override render(): TemplateResult {
    const { account } = this;
    if (!account) return html``;
    return html`<p role="status" class="notice success whole" ?hidden=${!this.told}>${this.told}</p>
      ${this.link ? html`<secret-field class="whole" label=${texts.link} .value=${this.link}></secret-field>` : nothing}
      ${this.#renderTab(account)}`;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('tab')) return;
    this.told = '';
    this.link = null;
  }

  #renderTab(account: AccountView): TemplateResult {
    const { isOwn } = this;
    switch (this.tab) {
      case 'credits':
        return this.#renderCredits(account);
      case 'plan':
        return html`${this.#renderPlan(account)}${isOwn ? nothing : this.#renderRole(account)}`;
      case 'access':
        return html`${this.#renderKeys(account)}${isOwn || account.suspended ? nothing : this.#renderLink(account)}`;
      case 'danger':
        return html`${this.#renderSuspension(account)}${this.#renderRemoval(account)}`;
    }
  }

  #renderKeys({ keys, state, lastLoginAt }: AccountView): TemplateResult {
    const logIn = state === 'unclaimed' ? texts.states.unclaimed : '';
    return html`<section class="card" aria-label=${STRINGS.titles.keys}>
      <h2>${STRINGS.titles.keys}</h2>
      <p>${STRINGS.overview.keys({ used: keys.used, count: keys.limit })}</p>
      <p class="muted">${logIn || (lastLoginAt ? texts.lastLogin({ at: formatAgo(lastLoginAt) }) : texts.never)}</p>
    </section>`;
  }

  #renderCredits({ id, balance }: AccountView): TemplateResult {
    const fields = (): Field[] => [
      { name: 'amount', label: texts.amount, type: 'number', min: 1 },
      { name: 'note', label: texts.note, hint: texts.noteHint, required: false, maxLength: 200 },
    ];
    const read = ({ amount, note }: FormValues) => ({ amount: Number(amount), ...(note ? { note } : {}) });
    return html`${this.#renderForm(texts.grant, {
      fields: fields(),
      action: texts.grant,
      send: async (values) =>
        texts.grantDone({ balance: formatNumber((await accountClient.grant(id, read(values))).balance) }),
    })}
      ${
        balance > 0
          ? this.#renderForm(texts.withdraw, {
              text: texts.withdrawText({ balance: formatNumber(balance) }),
              fields: fields(),
              action: texts.withdraw,
              danger: true,
              send: async (values) =>
                texts.withdrawDone({ balance: formatNumber((await accountClient.withdraw(id, read(values))).balance) }),
            })
          : nothing
      }`;
  }

  #renderPlan({ id, plan: value }: AccountView): TemplateResult {
    const options = this.plans.map((plan) => ({ value: plan, label: plan }));
    return this.#renderForm(texts.plan, {
      fields: [{ name: 'plan', label: texts.plan, value, options }],
      action: texts.changePlan,
      quiet: true,
      send: async ({ plan = '' }) => texts.planDone({ plan: (await accountClient.updateAccount(id, { plan })).plan }),
    });
  }

  #renderRole({ id, role: value }: AccountView): TemplateResult {
    const options = Object.entries(texts.roles).map(([role, label]) => ({ value: role, label }));
    return this.#renderForm(texts.role, {
      fields: [{ name: 'role', label: texts.role, value, options }],
      action: texts.changeRole,
      quiet: true,
      send: async ({ role }) => {
        await accountClient.updateAccount(id, { role: role === 'operator' ? 'operator' : 'user' });
        return texts.roleDone;
      },
    });
  }

  #renderLink({ id, email, state }: AccountView): TemplateResult {
    return this.#renderForm(texts.link, {
      text: state === 'unclaimed' ? texts.linkText : texts.linkTextReset,
      fields: [],
      action: texts.linkAction,
      send: async () => {
        const { link } = await accountClient.newLink(id);
        this.link = link;
        return link ? texts.linkMade : texts.linkMailed({ email });
      },
    });
  }

  #renderSuspension({ id, suspended }: AccountView): TemplateResult {
    const action = suspended ? texts.resume : texts.suspend;
    return this.#renderForm(action, {
      text: suspended ? '' : texts.suspendText,
      fields: [],
      action,
      danger: !suspended,
      send: async () => {
        await accountClient.updateAccount(id, { suspended: !suspended });
        return suspended ? texts.resumeDone : texts.suspendDone;
      },
    });
  }

  #renderRemoval({ id, email }: AccountView): TemplateResult {
    return this.#renderForm(texts.remove, {
      text: texts.removeText,
      fields: [{ name: 'confirm', label: texts.removeConfirm({ email }), pattern: email, fault: texts.removeMismatch }],
      action: texts.removeAction,
      danger: true,
      send: async () => {
        await accountClient.removeAccount(id);
        this.dispatchEvent(new CustomEvent('dash-removed'));
        return texts.removed({ email });
      },
    });
  }

  #renderForm(
    title: string,
    form: {
      text?: string;
      fields: Field[];
      action: string;
      danger?: boolean;
      quiet?: boolean;
      send: (values: FormValues) => Promise<string>;
    },
  ): TemplateResult {
    return html`<section class="card ${form.danger ? 'danger' : ''}" aria-label=${title}>
      <h2>${title}</h2>
      ${form.text ? html`<p class="muted">${form.text}</p>` : ''}
      <dash-form
        label=${title}
        action=${form.action}
        ?danger=${form.danger ?? false}
        ?quiet=${form.quiet ?? false}
        .fields=${form.fields}
        .send=${form.send}
        @dash-done=${this.#done}
      ></dash-form>
    </section>`;
  }

  #done({ detail }: CustomEvent<string>): void {
    this.told = detail;
    this.dispatchEvent(new CustomEvent('dash-changed'));
  }
}
customElements.define('manage-account', ManageAccount);
