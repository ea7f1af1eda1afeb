import { html, type TemplateResult } from 'lit';
import type { I18n } from '../i18n/index.ts';
import { icon } from '../styles/index.ts';

/** Renders the button to the image before or after. It keeps the focus at the ends, where it does nothing. */
export function renderStep(
  name: 'previous' | 'next',
  able: boolean,
  step: (by: 1 | -1) => void,
  { t, dir }: I18n,
): TemplateResult {
  const isNext = name === 'next';
  const label = t(`compare.${name}`);
  return html`<button type="button" class="button quiet icon-only" part="button" aria-label=${label} title=${label}
    aria-disabled=${!able} @click=${() => able && step(isNext ? 1 : -1)}>${icon(isNext === (dir === 'ltr') ? 'right' : 'left')}</button>`;
}
