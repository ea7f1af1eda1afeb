import { html, nothing, type TemplateResult } from 'lit';
import type { I18n } from '../../i18n/index.ts';
import { nameSaving } from '../name-saving.ts';
import { renderDifference } from '../render-difference.ts';
import type { ComparePair } from './compare-pair.ts';
import { describeChange } from './describe-change.ts';

/**
 * Renders bytes before and after with the saving, the measured quality, and the change of format and size. `brief`: of the bytes only
 * those before.
 */
export function renderFigures({ original, result }: ComparePair, i18n: I18n, brief: boolean): TemplateResult {
  const { t, dir, formatBytes } = i18n;
  const [from, to] = [original.size, result.size];
  const bytes = (from: number, to: number) =>
    `${t('compare.from-to', { from: formatBytes(from), to: formatBytes(to) })} · ${nameSaving(from, to, i18n)}`;
  return html`
    <p class="figures numbers">
      ${from === null || to === null ? nothing : html`<strong><bdi dir=${dir}>${brief ? formatBytes(from) : bytes(from, to)}</bdi></strong>`}
      ${brief ? nothing : renderDifference(result, i18n)}
      <span class="muted"><bdi dir=${dir}>${describeChange(original, result, i18n)}</bdi></span>
    </p>
  `;
}
