import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { controls, foundation, icon } from '../styles/index.ts';
import { explainError } from './explain-error.ts';
import { type Field, renderField } from './form-field.ts';
import { FollowLanguage, STRINGS } from './language.ts';
import { formStyles } from './page.styles.ts';

/** Fields of forms for fields of errors: the service names the new password `password`, the confirming one `currentPassword`. */
const STAND_INS: Record<string, string> = { password: 'newPassword', currentPassword: 'password' };

/** Values of a form's fields by name. */
export type FormValues = Record<string, string>;

/**
 * Form with fields and one button. Shows errors at their fields, others above the button. The button is disabled during
 * the request, so that nothing is sent twice. It is solid, unless the form is quiet, or destructive and not in a dialog.
 *
 * @fires {CustomEvent<unknown>} dash-done - Result of `send`.
 */
export class DashForm extends LitElement {
  static override styles = [foundation, ...controls, formStyles];
  static override properties = {
    fields: { attribute: false },
    action: {},
    label: {},
    danger: { type: Boolean },
    quiet: { type: Boolean },
    send: { attribute: false },
    busy: { state: true },
    failure: { state: true },
    errors: { state: true },
  };

  declare fields: Field[];
  /** Text of the button. */
  declare action: string;
  /** Name of the form for screen readers. */
  declare label: string;
  /** Marks a destructive action. */
  declare danger: boolean;
  /** Marks a form beside others of the same weight. */
  declare quiet: boolean;
  /** Sends the values. Its errors are shown. */
  declare send: (values: FormValues) => Promise<unknown>;
  declare busy: boolean;
  declare failure: string;
  declare errors: Record<string, string>;

  constructor() {
    super();
    new FollowLanguage(this);
    this.fields = [];
    this.action = STRINGS.save;
    this.label = '';
    this.danger = false;
    this.quiet = false;
    this.send = async () => {};
    this.busy = false;
    this.failure = '';
    this.errors = {};
  }

  protected override render(): TemplateResult {
    const danger = this.closest('dash-dialog') ? 'danger solid' : 'danger';
    const style = this.danger ? danger : this.quiet ? '' : 'primary';
    return html`<form class="form" aria-label=${this.label} novalidate @submit=${this.#submit}>
      ${this.fields.map((field) => renderField({ ...field, error: this.errors[field.name] }))}
      <div role="alert">${this.failure ? html`<p class="notice danger">${icon('alert')}<span class="content">${this.failure}</span></p>` : nothing}</div>
      <div><button class="button ${style}" aria-disabled=${this.busy}>${this.busy ? STRINGS.oneMoment : this.action}</button></div>
    </form>`;
  }

  /** Focuses the first field. */
  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('input, select')?.focus();
  }

  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (this.busy) return;
    const form = event.target as HTMLFormElement;
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, `${value}`]));
    this.failure = '';
    this.errors = this.#check(form);
    if (Object.keys(this.errors).length > 0) return this.#focusFirstError();
    this.busy = true;
    try {
      const detail = await this.send(values);
      form.reset();
      this.#hidePasswords();
      this.dispatchEvent(new CustomEvent('dash-done', { detail }));
    } catch (error) {
      this.#show(error);
    } finally {
      this.busy = false;
    }
  }

  /** Hides passwords that were shown, so that the next one is not. */
  #hidePasswords(): void {
    for (const button of this.renderRoot.querySelectorAll<HTMLElement>('[aria-pressed="true"]')) button.click();
  }

  #show(error: unknown): void {
    const { text, fields, loggedOut } = explainError(error);
    if (loggedOut) this.dispatchEvent(new CustomEvent('dash-logged-out', { bubbles: true, composed: true }));
    const names = new Set(this.fields.map(({ name }) => name));
    const at = (name: string) => [name, STAND_INS[name] ?? ''].find((own) => names.has(own));
    this.errors = Object.fromEntries(
      Object.entries(fields).flatMap(([name, message]) => (at(name) ? [[at(name), message]] : [])),
    );
    this.failure = Object.keys(this.errors).length > 0 ? '' : text;
    void this.#focusFirstError();
  }

  /** Returns what is wrong with the fields by their names, in the language of the page; browsers use their own. */
  #check(form: HTMLFormElement): Record<string, string> {
    const inputs = [...form.querySelectorAll('input')].filter((input) => !input.checkValidity());
    return Object.fromEntries(inputs.map((input) => [input.name, faultOf(input)]));
  }

  async #focusFirstError(): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }
}
customElements.define('dash-form', DashForm);

function faultOf({ validity, type, minLength, dataset }: HTMLInputElement): string {
  const { fields } = STRINGS.errors;
  if (validity.valueMissing) return fields.missing;
  if (validity.tooShort) return fields.short({ least: minLength });
  if (dataset.fault) return dataset.fault;
  if (type === 'email') return fields.email;
  return type === 'number' ? fields.amount : fields.invalid;
}
