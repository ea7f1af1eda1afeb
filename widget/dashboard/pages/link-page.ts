import { html, type TemplateResult } from 'lit';
import type { Link, LinkPurpose, Profile } from '#contract';
import { ApiError } from '../../../plugin-bridge/sdk/index.ts';
import { accountClient } from '../account-client.ts';
import type { FormValues } from '../dash-form.ts';
import '../dash-form.ts';
import { DashboardPage } from '../dashboard-page.ts';
import type { Field } from '../form-field.ts';
import { STRINGS } from '../language.ts';
import { BASE } from '../router.ts';
import { KEYS_AFTER_PASSWORD } from './keys-page.ts';

const { link: texts } = STRINGS;

/** Texts by purpose of the link. */
const KINDS: Record<LinkPurpose, (email: string) => { lead: string; action: string }> = {
  claim: () => ({ lead: texts.claimLead, action: texts.claimAction }),
  'sign-up': (email) => ({ lead: texts.confirmLead({ email }), action: texts.confirmAction }),
  reset: (email) => ({ lead: texts.resetLead({ email }), action: texts.resetAction }),
  email: (email) => ({ lead: texts.emailLead({ email }), action: texts.emailAction }),
};

/**
 * Target of one-time links. The token after `#` is removed from the address at once, so that it is not shared by accident,
 * and kept in the history entry, so that a reload finds it.
 */
export class LinkPage extends DashboardPage {
  static override properties = { link: { state: true }, leastLength: { state: true } };

  /** Purpose of the link; null until it is known. */
  declare link: Link | null;
  /** Minimum length of a password. */
  declare leastLength: number;

  #token = '';

  constructor() {
    super();
    this.link = null;
    this.leastLength = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('hashchange', this.#read);
    this.#read();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('hashchange', this.#read);
  }

  protected override render(): TemplateResult {
    if (this.problem) {
      return html`<p class="notice danger" role="alert">${this.problem}</p>
        <p>
          ${texts.invalidHelp} <a href="${BASE}/forgot">${STRINGS.titles.forgot}</a> ·
          <a href="${BASE}/log-in">${STRINGS.titles.logIn}</a>
        </p>`;
    }
    if (!this.link) return html`<p class="muted" aria-busy="true">${STRINGS.loading}</p>`;
    const { lead, action } = KINDS[this.link.purpose](this.link.email);
    return html`<p class="lead">${lead}</p>
      <dash-form
        label=${action}
        action=${action}
        .fields=${this.#fields(this.link)}
        .send=${this.#send}
        @dash-done=${this.#done}
      ></dash-form>`;
  }

  #fields({ purpose, email, placeholderEmail }: Link): Field[] {
    const hint = STRINGS.passwordHint({ least: this.leastLength });
    const { leastLength: minLength } = this;
    const password: Field = { name: 'password', label: STRINGS.newPassword, type: 'password', hint, minLength };
    const fields: Field[] = [{ ...password, autocomplete: 'new-password' }];
    if (purpose === 'email') return [];
    if (purpose !== 'claim') return fields;
    const owner: Field = { name: 'email', label: STRINGS.email, type: 'email', autocomplete: 'username' };
    return [placeholderEmail ? owner : { ...owner, value: email, readOnly: true }, ...fields];
  }

  #read = (): void => {
    const fromAddress = new URLSearchParams(location.hash.slice(1)).get('token');
    const kept = (history.state as { token?: string } | null)?.token;
    this.#token = fromAddress ?? kept ?? '';
    if (fromAddress) history.replaceState({ token: fromAddress }, '', location.pathname);
    this.link = null;
    this.problem = this.#token ? '' : texts.missing;
    if (!this.#token) return;
    void this.load(async () => {
      try {
        const [link, options] = await Promise.all([accountClient.readLink(this.#token), accountClient.options()]);
        this.leastLength = options.password.minLength;
        this.link = link;
      } catch (error) {
        if (error instanceof ApiError && error.code === 'invalid_link') this.problem = texts.invalid;
        else throw error;
      }
    });
  };

  #send = ({ email = '', password = '' }: FormValues): Promise<Profile | { email: string }> => {
    switch (this.link?.purpose) {
      case 'claim':
        return accountClient.claim(this.#token, password, email);
      case 'sign-up':
        return accountClient.confirmSignUp(this.#token, password);
      case 'reset':
        return accountClient.resetPassword(this.#token, password);
      default:
        return accountClient.confirmEmail(this.#token);
    }
  };

  #done({ detail }: CustomEvent<Profile | { email: string }>): void {
    if ('accountId' in detail) {
      this.tell('dash-logged-in', detail);
      // Keys outlive a password: the user may revoke those that a thief has made.
      if (this.link?.purpose === 'reset' && detail.keys.used > 0) this.tell('dash-moved', KEYS_AFTER_PASSWORD);
      return;
    }
    this.tell('dash-moved', 'settings/account');
    this.tell('dash-say', texts.emailDone({ email: detail.email }));
    this.tell('dash-stale');
  }
}
customElements.define('link-page', LinkPage);
