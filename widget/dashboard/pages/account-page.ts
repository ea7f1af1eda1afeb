import { html, nothing, type TemplateResult } from 'lit';
import type { AccountOptions, Login } from '#contract';
import { accountClient } from '../account-client.ts';
import type { FormValues } from '../dash-form.ts';
import '../dash-form.ts';
import '../dash-dialog.ts';
import { DashboardPage } from '../dashboard-page.ts';
import type { Field } from '../form-field.ts';
import { formatAgo } from '../format-figures.ts';
import { STRINGS } from '../language.ts';
import { nameBrowser } from '../name-browser.ts';
import { KEYS_AFTER_PASSWORD } from './keys-page.ts';

const { account: texts } = STRINGS;
const password = (): Field => ({
  name: 'password',
  label: texts.currentPassword,
  type: 'password',
  autocomplete: 'current-password',
});
const email = (): Field => ({ name: 'email', label: texts.newEmail, type: 'email', autocomplete: 'email' });

/** Settings > Account: mail address, password, log-ins, deletion. */
export class AccountPage extends DashboardPage {
  static override properties = { logins: { state: true }, options: { state: true }, deleting: { state: true } };

  /** Null until loaded. */
  declare logins: Login[] | null;
  /** Null until loaded. */
  declare options: AccountOptions | null;
  declare deleting: boolean;

  constructor() {
    super();
    this.logins = null;
    this.options = null;
    this.deleting = false;
    void this.#reload();
    void this.load(async () => {
      this.options = await accountClient.options();
    });
  }

  protected override render(): TemplateResult {
    return html`<p class="lead">${texts.lead}</p>
      ${this.renderProblem()}
      <div class="columns">${this.#renderEmail()}${this.#renderPassword()}</div>
      ${this.logins ? this.#renderLogins(this.logins) : nothing}${this.#renderDelete()}`;
  }

  #renderEmail(): TemplateResult {
    const { email: own = '', pendingEmail: pending = null } = this.profile ?? {};
    const isMailed = this.options?.delivery === 'mail';
    return html`<section class="card" aria-labelledby="email-title">
      <h2 id="email-title">${texts.emailTitle}</h2>
      <p>${texts.emailNow({ email: own })}</p>
      ${pending ? html`<p class="notice">${(isMailed ? texts.pendingMail : texts.pendingOperator)({ email: pending })}</p>` : nothing}
      <p class="muted">${texts.emailNote}</p>
      <dash-form
        quiet
        label=${texts.changeEmail}
        action=${texts.changeEmail}
        .fields=${[email(), password()]}
        .send=${(values: FormValues) => accountClient.changeEmail(values.email ?? '', values.password ?? '')}
        @dash-done=${() => this.#done(isMailed ? texts.orderedMail : texts.orderedOperator)}
      ></dash-form>
    </section>`;
  }

  #renderPassword(): TemplateResult {
    const hint = STRINGS.passwordHint({ least: this.options?.password.minLength ?? 0 });
    const fields: Field[] = [
      { ...password(), name: 'currentPassword' },
      { ...password(), name: 'newPassword', label: STRINGS.newPassword, autocomplete: 'new-password', hint },
    ];
    return html`<section class="card" aria-labelledby="password-title">
      <h2 id="password-title">${texts.passwordTitle}</h2>
      <p>${texts.passwordLead}</p>
      <dash-form
        quiet
        label=${texts.changePassword}
        action=${texts.changePassword}
        .fields=${fields}
        .send=${({ currentPassword = '', newPassword = '' }: FormValues) =>
          accountClient.changePassword(currentPassword, newPassword)}
        @dash-done=${this.#afterPassword}
      ></dash-form>
    </section>`;
  }

  #renderLogins(logins: Login[]): TemplateResult {
    return html`<section class="card" aria-labelledby="logins-title">
      <div class="bar">
        <h2 id="logins-title" tabindex="-1">${texts.loginsTitle}</h2>
        ${
          logins.length > 1
            ? html`<button class="button" @click=${() => void this.#revokeOthers()}>${texts.revokeOthers}</button>`
            : nothing
        }
      </div>
      <ul class="rows">
        ${logins.map((login) => this.#renderLogin(login))}
      </ul>
    </section>`;
  }

  #renderLogin({ id, current, userAgent, address, lastSeenAt }: Login): TemplateResult {
    const browser = nameBrowser(userAgent);
    return html`<li>
      <div class="what">
        <h3 class="title">
          ${browser} ${current ? html`<span class="badge success">${texts.thisBrowser}</span>` : nothing}
        </h3>
        <p class="details"><span>${address}</span><span>${texts.seen({ at: formatAgo(lastSeenAt) })}</span></p>
      </div>
      ${
        current
          ? nothing
          : html`<button class="button" aria-label=${texts.revokeLabel({ browser })} @click=${() => void this.#revoke(id)}>
              ${texts.revoke}
            </button>`
      }
    </li>`;
  }

  #renderDelete(): TemplateResult {
    const open = () => {
      this.deleting = true;
    };
    return html`<section class="card danger" aria-labelledby="delete-title">
        <h2 id="delete-title">${texts.deleteTitle}</h2>
        <p>${texts.deleteText}</p>
        <div><button class="button danger" @click=${open}>${texts.deleteOpen}</button></div>
      </section>
      ${this.deleting ? this.#renderDeleteDialog() : nothing}`;
  }

  #renderDeleteDialog(): TemplateResult {
    const close = () => {
      this.deleting = false;
    };
    return html`<dash-dialog heading=${texts.deleteTitle} @dash-close=${close}>
      <p>${texts.deleteText}</p>
      <dash-form
        label=${texts.deleteTitle}
        action=${texts.deleteAction}
        danger
        .fields=${[password()]}
        .send=${(values: FormValues) => accountClient.deleteAccount(values.password ?? '')}
        @dash-done=${this.#leave}
      ></dash-form>
    </dash-dialog>`;
  }

  #leave(): void {
    this.tell('dash-logged-out');
    this.tell('dash-say', texts.deleted);
  }

  #done(said: string): void {
    this.tell('dash-say', said);
    this.tell('dash-stale');
    void this.#reload();
  }

  /** Keys outlive a password: the user may revoke those that a thief has made. */
  #afterPassword(): void {
    this.#done(texts.passwordChanged);
    if (this.profile?.keys.used) this.tell('dash-moved', KEYS_AFTER_PASSWORD);
  }

  async #revoke(id: string): Promise<void> {
    await this.load(() => accountClient.revokeLogin(id));
    await this.#afterRevoking(1);
  }

  async #revokeOthers(): Promise<void> {
    let count = 0;
    await this.load(async () => {
      count = (await accountClient.revokeOtherLogins()).revoked;
    });
    await this.#afterRevoking(count);
  }

  async #afterRevoking(count: number): Promise<void> {
    if (this.problem) return;
    this.tell('dash-say', texts.revoked({ count }));
    await this.#reload();
    await this.updateComplete;
    // The pressed button was removed.
    this.renderRoot.querySelector<HTMLElement>('#logins-title')?.focus();
  }

  async #reload(): Promise<void> {
    await this.load(async () => {
      this.logins = (await accountClient.logins()).logins;
    });
  }
}
customElements.define('account-page', AccountPage);
