import { html, nothing, type TemplateResult } from 'lit';
import type { I18n } from '../../i18n/index.ts';
import { renderDifference } from '../render-difference.ts';
import type { ComparePair } from './compare-pair.ts';
import { describeChange } from './describe-change.ts';

/** Smallest saving that is shown; less would be written as 0 %. */
const SAME = 0.0049;

/**
 * Renders bytes before and after with the saving, the measured quality, and the change of format and size. `brief`: of the bytes only
 * those before.
 */
export function renderFigures({ original, result }: ComparePair, i18n: I18n, brief: boolean): TemplateResult {
  const { t, dir, formatBytes, formatPercent } = i18n;
  const sizes = original.size !== null && result.size !== null ? { from: original.size, to: result.size } : null;
  const saved = sizes && sizes.from > 0 ? 1 - sizes.to / sizes.from : 0;
  const key = saved > SAME ? 'compare.smaller' : saved < -SAME ? 'compare.larger' : 'compare.same-size';
  const params = sizes && {
    from: formatBytes(sizes.from),
    to: formatBytes(sizes.to),
    percent: formatPercent(Math.abs(saved)),
  };
  return html`
    <p class="figures numbers">
      ${params ? html`<strong><bdi dir=${dir}>${brief ? params.from : t(key, params)}</bdi></strong>` : nothing}
      ${brief ? nothing : renderDifference(result, i18n)}
      <span class="muted"><bdi dir=${dir}>${describeChange(original, result, i18n)}</bdi></span>
    </p>
  `;
}
