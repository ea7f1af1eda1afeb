import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { controls, foundation } from '../styles/index.ts';
import { accountClient, promptPasswordWith } from './account-client.ts';
import type { DashDialog } from './dash-dialog.ts';
import './dash-dialog.ts';
import type { FormValues } from './dash-form.ts';
import './dash-form.ts';
import type { Field } from './form-field.ts';
import { FollowLanguage, STRINGS } from './language.ts';
import { BASE } from './router.ts';

const { confirm: texts } = STRINGS;
const fields = (): Field[] => [
  { name: 'password', label: STRINGS.password, type: 'password', autocomplete: 'current-password' },
];

/** Dialog for the operator's password. It opens when the service asks for it; the request is repeated afterwards. */
export class PasswordPrompt extends LitElement {
  static override styles = [foundation, ...controls];
  static override properties = { open: { state: true } };

  declare open: boolean;
  #answer: Promise<boolean> | null = null;
  #resolve: (confirmed: boolean) => void = () => {};

  constructor() {
    super();
    new FollowLanguage(this);
    this.open = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    promptPasswordWith(() => this.#ask());
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.open) return nothing;
    return html`<dash-dialog heading=${texts.title} @dash-close=${() => this.#finish(false)}>
      <p>${texts.text}</p>
      <dash-form
        label=${texts.title}
        action=${texts.action}
        .fields=${fields()}
        .send=${({ password = '' }: FormValues) => accountClient.confirmPassword(password)}
        @dash-done=${() => this.#finish(true)}
      ></dash-form>
      <p><a href="${BASE}/forgot" target="_blank">${STRINGS.welcome.forgot}</a></p>
    </dash-dialog>`;
  }

  /** Opens the dialog once for all requests that wait. @returns false if it was closed without the password */
  #ask(): Promise<boolean> {
    this.open = true;
    this.#answer ??= new Promise<boolean>((resolve) => {
      this.#resolve = resolve;
    });
    return this.#answer;
  }

  #finish(confirmed: boolean): void {
    this.#resolve(confirmed);
    this.#answer = null;
    // Closing first returns the focus to where it was.
    this.renderRoot.querySelector<DashDialog>('dash-dialog')?.close();
    this.open = false;
  }
}
customElements.define('password-prompt', PasswordPrompt);
