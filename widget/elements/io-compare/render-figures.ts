import { html, nothing, type TemplateResult } from 'lit';
import { visibleDifference } from '#contract/constants';
import type { I18n } from '../../i18n/index.ts';
import type { ComparePair } from './compare-pair.ts';
import { describeChange } from './describe-change.ts';

/** Smallest saving that is shown; less would be written as 0 %. */
const SAME = 0.0049;

/** Renders a measured quality in words, with the score as a tooltip. */
function renderQuality(score: number | null | undefined, { t, formatNumber }: I18n): TemplateResult | typeof nothing {
  if (typeof score !== 'number') return nothing;
  return html`<span class="quality" title="SSIMULACRA2: ${formatNumber(Math.round(score))}">${t(`quality.${visibleDifference(score)}`)}</span>`;
}

/** Renders bytes before and after with the saving, the measured quality, and the change of format and size. */
export function renderFigures({ original, result }: ComparePair, i18n: I18n): TemplateResult {
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
      ${params ? html`<strong><bdi dir=${dir}>${t(key, params)}</bdi></strong>` : nothing}
      ${renderQuality(result.score, i18n)}
      <span class="muted"><bdi dir=${dir}>${describeChange(original, result, i18n)}</bdi></span>
    </p>
  `;
}
