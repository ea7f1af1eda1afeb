import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { AccountView } from '#contract';
import { controls, foundation } from '../styles/index.ts';
import { accountClient } from './account-client.ts';
import type { DashForm, FormValues } from './dash-form.ts';
import './dash-form.ts';
import type { Field } from './form-field.ts';
import { formatNumber } from './format-figures.ts';
import { FollowLanguage, STRINGS } from './language.ts';
import { ledgerPageOf } from './ledger-page.ts';
import './secret-field.ts';

const { operator: texts } = STRINGS;

const styles = css`
  .notice.success {
    --_notice: var(--_success);
  }
  :host {
    display: grid;
    gap: 22px;
  }
  section {
    display: grid;
    gap: 12px;
  }
  section + section {
    padding-block-start: 20px;
    border-block-start: 1px solid var(--_border);
  }
  h3 {
    font-weight: 600;
  }
  a {
    color: var(--_accent);
    text-underline-offset: 3px;
  }
`;

/**
 * Actions of an operator on an account: credits, plan, role, link, suspension, deletion.
 *
 * @fires {CustomEvent} dash-changed - The account was changed.
 * @fires {CustomEvent} dash-removed - The account was deleted.
 */
export class ManageAccount extends LitElement {
  static override styles = [foundation, ...controls, styles];
  static override properties = {
    account: { attribute: false },
    plans: { attribute: false },
    isOwn: { attribute: false },
    told: { state: true },
    link: { state: true },
  };

  declare account: AccountView | null;
  declare plans: string[];
  /** True for the operator's own account, which they cannot suspend, demote or delete. */
  declare isOwn: boolean;
  declare told: string;
  /** The link that was made last, if it was not mailed. */
  declare link: string | null;

  constructor() {
    super();
    new FollowLanguage(this);
    this.account = null;
    this.plans = [];
    this.isOwn = false;
    this.told = '';
    this.link = null;
  }

  protected override render(): TemplateResult {
    const { account } = this;
    if (!account) return html``;
    return html`<p role="status" class="notice success" ?hidden=${!this.told}>${this.told}</p>
      ${this.link ? html`<secret-field label=${texts.link} .value=${this.link}></secret-field>` : nothing}
      ${this.#renderCredits(account)}${this.#renderPlan(account)}
      ${this.isOwn ? nothing : html`${this.#renderRole(account)}${account.suspended ? nothing : this.#renderLink(account)}${this.#renderSuspension(account)}${this.#renderRemoval(account)}`}`;
  }

  /** Focuses the first form. */
  override focus(): void {
    const form = this.renderRoot.querySelector<DashForm>('dash-form');
    void form?.updateComplete.then(() => form.focus());
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
      <p><a href=${ledgerPageOf(id)}>${texts.ledger}</a></p>
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
      send: async ({ plan = '' }) => texts.planDone({ plan: (await accountClient.updateAccount(id, { plan })).plan }),
    });
  }

  #renderRole({ id, role: value }: AccountView): TemplateResult {
    const options = Object.entries(texts.roles).map(([role, label]) => ({ value: role, label }));
    return this.#renderForm(texts.role, {
      fields: [{ name: 'role', label: texts.role, value, options }],
      action: texts.changeRole,
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
      send: (values: FormValues) => Promise<string>;
    },
  ): TemplateResult {
    return html`<section aria-label=${title}>
      <h3>${title}</h3>
      ${form.text ? html`<p class="muted">${form.text}</p>` : ''}
      <dash-form
        label=${title}
        action=${form.action}
        ?danger=${form.danger ?? false}
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
