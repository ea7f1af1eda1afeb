import { css, html, svg, type TemplateResult } from 'lit';
import type { ServiceState } from '#contract';
import { formatClock, formatNumber } from './format-figures.ts';
import { STRINGS } from './language.ts';

const { service: texts } = STRINGS;
const MINUTE_MS = 60_000;
const MINUTES = 60;
/** Height of the bars. The width of a bar and of its gap together is 1. */
const HEIGHT = 10;

/** Styles of {@link renderQueueChart}. */
export const queueChartStyles = css`
  figure {
    display: grid;
    gap: var(--_space);
    margin: 24px 0 0;
  }
  figure svg {
    display: block;
    inline-size: 100%;
    block-size: 48px;
    border-block-end: 1px solid var(--_border);
  }
  figure rect {
    fill: var(--_accent);
  }
  figure rect.waiting {
    fill: var(--_check);
  }
  .ends,
  figcaption {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 0 24px;
    color: var(--_muted);
    font-size: var(--_t12);
  }
  figcaption {
    justify-content: start;
    font-size: var(--_t13);
  }
  .key::before {
    content: '';
    display: inline-block;
    inline-size: 10px;
    block-size: 10px;
    margin-inline-end: 8px;
    border-radius: 2px;
    background: var(--_accent);
    forced-color-adjust: none;
  }
  .key.waiting::before {
    background: var(--_check);
  }
  @media (forced-colors: active) {
    figure rect {
      forced-color-adjust: none;
    }
  }
`;

/** Renders the queue of the last hour: a bar a minute, of busy workers with waiting images upon them, and the highest of each in words. */
export function renderQueueChart({ checkedAt, lastHour, queue: { workers } }: ServiceState): TemplateResult {
  const { queue } = lastHour;
  const end = new Date(checkedAt).getTime();
  const most = Math.max(1, ...queue.map(({ waiting, busy }) => waiting + busy));
  const longest = queue.reduce((found, look) => (look.waiting > found.waiting ? look : found), { at: '', waiting: 0 });
  const busiest = Math.max(0, ...queue.map(({ busy }) => busy));
  const { waiting, at } = longest;
  return html`<figure>
    <svg viewBox="0 0 ${MINUTES} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${texts.queueHour} aria-describedby="queue-hour">
      ${queue.map((look) => renderLook(look, MINUTES - 1 - Math.floor((end - new Date(look.at).getTime()) / MINUTE_MS), HEIGHT / most))}
    </svg>
    <div class="ends numbers" dir="ltr" aria-hidden="true">
      <span>${formatClock(new Date(end - MINUTES * MINUTE_MS).toISOString())}</span><span>${formatClock(checkedAt)}</span>
    </div>
    <figcaption id="queue-hour">
      <span class="key waiting">${waiting > 0 ? texts.queueMost({ most: formatNumber(waiting), at: formatClock(at) }) : texts.queueNone}</span>
      <span class="key">${texts.queueBusy({ busy: formatNumber(busiest), total: formatNumber(workers) })}</span>
    </figcaption>
  </figure>`;
}

function renderLook(
  { at, waiting, busy }: ServiceState['lastHour']['queue'][number],
  x: number,
  unit: number,
): TemplateResult {
  const bar = (name: string, from: number, count: number) =>
    svg`<rect class=${name} x=${x} y=${HEIGHT - (from + count) * unit} width="0.8" height=${count * unit} />`;
  return svg`<g>
    <title>${texts.queueAt({ at: formatClock(at), waiting: formatNumber(waiting), busy: formatNumber(busy) })}</title>
    ${bar('busy', 0, busy)}${bar('waiting', busy, waiting)}
  </g>`;
}
