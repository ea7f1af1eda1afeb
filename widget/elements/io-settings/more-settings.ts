import { html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { MAX_EDGE, OUTPUT_FORMATS } from '#contract/constants';
import type { I18n } from '../../i18n/index.ts';
import type { Settings } from '../../state/index.ts';

/** Settings, and what to do with a change of them. */
interface MoreSettings {
  settings: Settings;
  disabled: boolean;
  i18n: I18n;
  onChange: (change: Partial<Settings>) => void;
}

/** Renders further formats and the longest edges. `after`: what follows them. */
export function renderMore(more: MoreSettings, after: unknown): TemplateResult {
  const { t } = more.i18n;
  return html`
    <details class="analysis more">
      <summary>${t('settings.more')}</summary>
      <div class="fields">${renderFormats(more)} ${renderEdges(more)} <div class="wide">${after}</div></div>
    </details>
  `;
}

/** Renders a box for each format beside the main one, which comes first. */
function renderFormats({ settings, disabled, i18n: { t }, onChange }: MoreSettings): TemplateResult {
  const { format, formats = [format] } = settings;
  const change = ({ target }: Event) => {
    const { checked, value } = target as HTMLInputElement;
    const next = OUTPUT_FORMATS.filter(
      (each) => each !== format && (each === value ? checked : formats.includes(each)),
    );
    onChange({ formats: next.length > 0 ? [format, ...next] : undefined });
  };
  return html`
    <fieldset class="choices wide" ?disabled=${disabled} @change=${change}>
      <legend class="label">${t('settings.formats')}</legend>
      <div class="segments">
        ${OUTPUT_FORMATS.filter((each) => each !== format).map(
          (each) => html`<label class="check"><input type="checkbox" name="formats" value=${each}
            .checked=${live(formats.includes(each))} /><span>${t(`settings.format-${each}`)}</span></label>`,
        )}
      </div>
      <p class="hint">${t('settings.formats-hint')}</p>
    </fieldset>
  `;
}

/** Renders the longest width and height. A number out of range stays in its field, marked as wrong, and is not reported. */
function renderEdges({ settings, disabled, i18n: { t }, onChange }: MoreSettings): TemplateResult[] {
  return (['maxWidth', 'maxHeight'] as const).map((name) => {
    const change = ({ target }: Event) => {
      const { valueAsNumber, validity } = target as HTMLInputElement;
      if (validity.valid) onChange({ [name]: valueAsNumber || undefined });
    };
    return html`
      <label class="field">
        <span class="label">${t(`settings.${name}`)}</span>
        <input class="input" type="number" min=${MAX_EDGE.min} max=${MAX_EDGE.max} ?disabled=${disabled}
          .value=${String(settings[name] ?? '')} @change=${change} />
        <span class="hint">${t('settings.size-range', MAX_EDGE)}</span>
      </label>
    `;
  });
}
