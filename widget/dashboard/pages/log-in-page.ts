import { html, type TemplateResult } from 'lit';
import type { Profile } from '#contract';
import { accountClient } from '../account-client.ts';
import type { FormValues } from '../dash-form.ts';
import '../dash-form.ts';
import { DashboardPage } from '../dashboard-page.ts';
import type { Field } from '../form-field.ts';
import { STRINGS } from '../language.ts';
import { BASE } from '../router.ts';

const fields = (): Field[] => [
  { name: 'email', label: STRINGS.email, type: 'email', autocomplete: 'username' },
  { name: 'password', label: STRINGS.password, type: 'password', autocomplete: 'current-password' },
];

/** Page to log in with mail address and password. */
export class LogInPage extends DashboardPage {
  protected override render(): TemplateResult {
    const { welcome, titles } = STRINGS;
    return html`<dash-form
        label=${titles.logIn}
        action=${titles.logIn}
        .fields=${fields()}
        .send=${({ email = '', password = '' }: FormValues) => accountClient.logIn(email, password)}
        @dash-done=${({ detail }: CustomEvent<Profile>) => this.tell('dash-logged-in', detail)}
      ></dash-form>
      <p>
        <a href="${BASE}/forgot">${welcome.forgot}</a><br />
        ${welcome.noAccount} <a href="${BASE}/sign-up">${titles.signUp}</a>
      </p>`;
  }
}
customElements.define('log-in-page', LogInPage);
