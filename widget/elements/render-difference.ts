import { html, nothing, type TemplateResult } from 'lit';
import { visibleDifference } from '#contract/constants';
import type { I18n } from '../i18n/index.ts';

/** Renders in words how far a file differs visibly from its original, with the score as a tooltip. */
export function renderDifference(
  score: number | null | undefined,
  { t, formatNumber }: I18n,
  name: 'muted' | 'quality',
): TemplateResult | typeof nothing {
  if (typeof score !== 'number') return nothing;
  return html`<span class=${name} title="SSIMULACRA2: ${formatNumber(Math.round(score))}">${t(`quality.${visibleDifference(score)}`)}</span>`;
}
