import { html, nothing, type TemplateResult } from 'lit';
import { ifDefined } from 'lit/directives/if-defined.js';
import { STRINGS } from './language.ts';
import { navIcon } from './nav-icon.ts';

/** A text or select field with label, hint and error. */
export interface Field {
  /** Name in the request, e.g. `email`. */
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password' | 'number' | 'date';
  autocomplete?: string;
  value?: string;
  /** Choices of a select field; absent: a text field. */
  options?: { value: string; label: string }[];
  hint?: string;
  /** Error of the field; `''` or absent without one. */
  error?: string | undefined;
  required?: boolean;
  /** Read-only; password managers store it. */
  readOnly?: boolean;
  minLength?: number;
  maxLength?: number;
  min?: number;
  /** Text that has to be entered, and what is said otherwise. */
  pattern?: string;
  fault?: string;
}

/** Renders a field with its hint and error. */
export function renderField(field: Field): TemplateResult {
  const { name, label, hint, error } = field;
  return html`<div class="field">
    <label class="label" for=${name}>${label}</label>
    ${field.options ? renderChoice(field) : field.type === 'password' ? renderPassword(field) : renderInput(field)}
    ${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : nothing}
    ${error ? html`<p class="error" id="${name}-error">${error}</p>` : nothing}
  </div>`;
}

/** Renders a password with a button that shows it. */
function renderPassword(field: Field): TemplateResult {
  return html`<div class="password" dir="ltr">
    ${renderInput(field)}
    <button type="button" class="button quiet icon-only" aria-pressed="false" aria-controls=${field.name} aria-label=${STRINGS.showPassword} title=${STRINGS.showPassword} @click=${togglePassword}>
      ${navIcon('eye')}
    </button>
  </div>`;
}

/** Shows or hides the password beside the pressed button. */
function togglePassword({ currentTarget }: Event): void {
  const button = currentTarget as HTMLButtonElement;
  const input = button.previousElementSibling as HTMLInputElement;
  const shown = input.type === 'password';
  input.type = shown ? 'text' : 'password';
  button.setAttribute('aria-pressed', `${shown}`);
}

function renderInput(field: Field): TemplateResult {
  const { name, type = 'text', autocomplete = 'off', value = '', error, required = true } = field;
  return html`<input
    class="input"
    id=${name}
    dir=${['email', 'password'].includes(type) ? 'ltr' : nothing}
    name=${name}
    type=${type}
    autocomplete=${autocomplete}
    .defaultValue=${value}
    ?required=${required}
    ?readonly=${field.readOnly ?? false}
    minlength=${ifDefined(field.minLength)}
    maxlength=${ifDefined(field.maxLength)}
    min=${ifDefined(field.min)}
    pattern=${ifDefined(field.pattern?.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&'))}
    data-fault=${ifDefined(field.fault)}
    aria-invalid=${error ? 'true' : 'false'}
    aria-describedby=${ifDefined(describedBy(field))}
  />`;
}

function renderChoice({ name, value, options = [] }: Field): TemplateResult {
  return html`<select class="input" id=${name} name=${name}>
    ${options.map((option) => html`<option value=${option.value} ?selected=${option.value === value}>${option.label}</option>`)}
  </select>`;
}

function describedBy({ name, hint, error }: Field): string | undefined {
  return [hint ? `${name}-hint` : '', error ? `${name}-error` : ''].join(' ').trim() || undefined;
}
