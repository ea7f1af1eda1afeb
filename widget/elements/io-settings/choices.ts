import { html, type TemplateResult } from 'lit';
import type { I18n } from '../../i18n/index.ts';

/** Renders radio buttons as segments with the hint of the chosen one below. Screen readers get the hint of each. */
export function renderChoices<Value extends string>({
  name,
  values,
  value,
  disabled,
  i18n,
  onChoose,
}: {
  name: 'format' | 'preset' | 'metadata';
  values: readonly Value[];
  value: Value;
  disabled: boolean;
  i18n: I18n;
  onChoose: (value: Value) => void;
}): TemplateResult {
  const { t } = i18n;
  return html`
    <fieldset class="choices" ?disabled=${disabled}>
      <legend class="label">${t(`settings.${name}`)}</legend>
      <div class="segments">
        ${values.map(
          (each) => html`
            <label class="pill">
              <input
                type="radio"
                name=${name}
                value=${each}
                .checked=${each === value}
                aria-describedby="${name}-${each}"
                @change=${() => onChoose(each)}
              />
              <span>${t(`settings.${name}-${each}`)}</span>
            </label>
            <span id="${name}-${each}" class="visually-hidden">${t(`settings.${name}-${each}-hint`)}</span>
          `,
        )}
      </div>
      <p class="hint" aria-hidden="true">${t(`settings.${name}-${value}-hint`)}</p>
    </fieldset>
  `;
}
