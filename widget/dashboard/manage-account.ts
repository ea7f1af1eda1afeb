import { css, html, LitElement, type TemplateResult } from 'lit';
import type { AccountView } from '#contract';
import { controls, foundation } from '../styles/index.ts';
import { accountClient } from './account-client.ts';
import type { DashForm, FormValues } from './dash-form.ts';
import './dash-form.ts';
import type { Field } from './form-field.ts';
import { formatNumber } from './format-figures.ts';
import { STRINGS } from './strings.ts';

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
    font-weight: 640;
  }
`;

const GRANT: Field[] = [
  { name: 'amount', label: texts.amount, type: 'number', min: 1 },
  { name: 'note', label: texts.note, hint: texts.noteHint, required: false, maxLength: 200 },
];

/**
 * Actions of an operator on an account: credits, plan, suspension.
 *
 * @fires {CustomEvent} dash-changed - The account was changed.
 */
export class ManageAccount extends LitElement {
  static override styles = [foundation, ...controls, styles];
  static override properties = {
    account: { attribute: false },
    plans: { attribute: false },
    isOwn: { attribute: false },
    told: { state: true },
  };

  declare account: AccountView | null;
  declare plans: string[];
  /** True for the operator's own account, which they cannot suspend. */
  declare isOwn: boolean;
  declare told: string;

  constructor() {
    super();
    this.account = null;
    this.plans = [];
    this.isOwn = false;
    this.told = '';
  }

  protected override render(): TemplateResult {
    const { account } = this;
    if (!account) return html``;
    return html`<p role="status" class="notice success" ?hidden=${!this.told}>${this.told}</p>
      ${this.#renderForm(texts.grantTitle, {
        fields: GRANT,
        action: texts.grant,
        send: async ({ amount, note }) => {
          const { balance } = await accountClient.grant(account.id, {
            amount: Number(amount),
            ...(note ? { note } : {}),
          });
          return texts.grantDone(formatNumber(balance));
        },
      })}
      ${this.#renderForm(texts.plan, {
        fields: [
          {
            name: 'plan',
            label: texts.plan,
            value: account.plan,
            options: this.plans.map((plan) => ({ value: plan, label: plan })),
          },
        ],
        action: texts.changePlan,
        send: async ({ plan = '' }) => texts.planDone((await accountClient.updateAccount(account.id, { plan })).plan),
      })}
      ${this.isOwn ? '' : this.#renderSuspension(account)}`;
  }

  /** Focuses the first form. */
  override focus(): void {
    const form = this.renderRoot.querySelector<DashForm>('dash-form');
    void form?.updateComplete.then(() => form.focus());
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
