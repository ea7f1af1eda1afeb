import { html, type TemplateResult } from 'lit';
import { visibleDifference } from '#contract/constants';
import type { I18n } from '../i18n/index.ts';
import type { MeasuredQuality } from './io-compare/compare-pair.ts';

/**
 * Returns in words how far a file differs visibly from its original and, if it stays below the score of its preset, why; empty without a
 * score.
 */
export function nameDifference(
  { score, stopped, estimatedBytes = 0 }: MeasuredQuality,
  { t, formatBytes }: I18n,
): string[] {
  if (score == null) return [];
  return [
    t(`quality.${visibleDifference(score)}`),
    ...(stopped ? [t(`quality.${stopped}`, { size: formatBytes(estimatedBytes) })] : []),
  ];
}

/** Renders these words, with the score as a tooltip. */
export function renderDifference(quality: MeasuredQuality, i18n: I18n): TemplateResult[] {
  return nameDifference(quality, i18n).map(
    (words) =>
      html`<span class="muted quality" title="SSIMULACRA2: ${i18n.formatNumber(Math.round(quality.score as number))}">${words}</span>`,
  );
}
