import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { AccountOptions, LinkSent } from '#contract';
import { accountClient } from '../account-client.ts';
import '../dash-form.ts';
import { DashboardPage } from '../dashboard-page.ts';
import type { Field } from '../form-field.ts';
import { STRINGS } from '../language.ts';

const fields = (): Field[] => [{ name: 'email', label: STRINGS.email, type: 'email', autocomplete: 'email' }];

/** Base class of pages that request a link. The response is the same for every mail address. */
export abstract class RequestLinkPage extends DashboardPage {
  static override properties: PropertyDeclarations = { sent: { state: true }, options: { state: true } };

  /** Delivery of the link; null until it was requested. */
  declare sent: LinkSent['delivery'] | null;
  /** Null until loaded. */
  declare options: AccountOptions | null;

  constructor() {
    super();
    this.sent = null;
    this.options = null;
    void this.load(async () => {
      this.options = await accountClient.options();
    });
  }

  /** Renders the form, or the way the link was sent. */
  protected renderRequest(
    leads: Record<LinkSent['delivery'], string>,
    label: string,
    send: (email: string) => Promise<LinkSent>,
  ): TemplateResult | typeof nothing {
    const { welcome } = STRINGS;
    if (this.sent) {
      return html`<div class="notice success" role="status">
          <div class="content">
            <strong>${this.#sentTitle()}</strong>
            <p>${this.sent === 'mail' ? welcome.sentMail : welcome.sentOperator}</p>
          </div>
        </div>
        <div>
          <button class="button" @click=${this.#again}>${welcome.another}</button>
        </div>`;
    }
    if (!this.options) return nothing;
    const { delivery } = this.options;
    return html`<p class="lead">${leads[delivery]}</p>
      <dash-form
        label=${label}
        action=${delivery === 'mail' ? welcome.signUpAction : welcome.requestAction}
        .fields=${fields()}
        .send=${({ email = '' }) => send(email)}
        @dash-done=${this.#show}
      ></dash-form>`;
  }

  #show({ detail }: CustomEvent<LinkSent>): void {
    this.sent = detail.delivery;
    this.tell('dash-say', this.#sentTitle());
  }

  #sentTitle(): string {
    const { sentTitle, askTitle } = STRINGS.welcome;
    return this.sent === 'mail' ? sentTitle : askTitle;
  }

  #again(): void {
    this.sent = null;
  }
}
