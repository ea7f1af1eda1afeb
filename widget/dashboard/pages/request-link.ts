import { html, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { LinkSent } from '#contract';
import '../dash-form.ts';
import { DashboardPage } from '../dashboard-page.ts';
import type { Field } from '../form-field.ts';
import { STRINGS } from '../strings.ts';

const FIELDS: Field[] = [{ name: 'email', label: STRINGS.email, type: 'email', autocomplete: 'email' }];

/** Base class of pages that request a link. The response is the same for every mail address. */
export abstract class RequestLinkPage extends DashboardPage {
  static override properties: PropertyDeclarations = { sent: { state: true } };

  /** Delivery of the link; null until it was requested. */
  declare sent: LinkSent['delivery'] | null;

  constructor() {
    super();
    this.sent = null;
  }

  /** Renders the form, or the way the link was sent. */
  protected renderRequest(lead: string, label: string, send: (email: string) => Promise<LinkSent>): TemplateResult {
    const { welcome } = STRINGS;
    if (this.sent) {
      return html`<div class="notice success" role="status">
          <div class="content">
            <strong>${welcome.sentTitle}</strong>
            <p>${this.sent === 'mail' ? welcome.sentMail : welcome.sentOperator}</p>
          </div>
        </div>
        <div>
          <button class="button" @click=${this.#again}>${welcome.another}</button>
        </div>`;
    }
    return html`<p class="lead">${lead}</p>
      <dash-form
        label=${label}
        action=${welcome.signUpAction}
        .fields=${FIELDS}
        .send=${({ email = '' }) => send(email)}
        @dash-done=${this.#show}
      ></dash-form>`;
  }

  #show({ detail }: CustomEvent<LinkSent>): void {
    this.sent = detail.delivery;
    this.tell('dash-say', STRINGS.welcome.sentTitle);
  }

  #again(): void {
    this.sent = null;
  }
}
