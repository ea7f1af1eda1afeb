import { html, nothing, type TemplateResult } from 'lit';
import { ifDefined } from 'lit/directives/if-defined.js';

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
}

/** Renders a field with its hint and error. */
export function renderField(field: Field): TemplateResult {
  const { name, label, hint, error } = field;
  return html`<div class="field">
    <label class="label" for=${name}>${label}</label>
    ${field.options ? renderChoice(field) : renderInput(field)}
    ${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : nothing}
    ${error ? html`<p class="error" id="${name}-error">${error}</p>` : nothing}
  </div>`;
}

function renderInput(field: Field): TemplateResult {
  const { name, type = 'text', autocomplete = 'off', value = '', error, required = true } = field;
  return html`<input
    class="input"
    id=${name}
    name=${name}
    type=${type}
    autocomplete=${autocomplete}
    .defaultValue=${value}
    ?required=${required}
    ?readonly=${field.readOnly ?? false}
    minlength=${ifDefined(field.minLength)}
    maxlength=${ifDefined(field.maxLength)}
    min=${ifDefined(field.min)}
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
