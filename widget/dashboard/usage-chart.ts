import { css, html, LitElement, nothing, svg, type TemplateResult } from 'lit';
import type { Usage } from '#contract';
import { foundation } from '../styles/index.ts';
import { formatDay, formatNumber } from './format-figures.ts';
import { FollowLanguage, STRINGS } from './language.ts';

const HEIGHT = 220;
const TOP = 10;
const BOTTOM = 26;
/** Width of a caption of the day axis, in pixels. */
const CAPTION = 96;

const styles = css`
  :host {
    display: block;
    min-block-size: 220px;
  }
  svg {
    direction: ltr;
    display: block;
    inline-size: 100%;
    block-size: 220px;
    overflow: visible;
  }
  text {
    fill: var(--_muted);
    font-size: 12px;
    font-variant-numeric: tabular-nums;
  }
  line {
    stroke: var(--_border);
    stroke-width: 1;
    shape-rendering: crispEdges;
  }
  .bar {
    fill: var(--_accent);
  }
  .none {
    fill: var(--_border);
  }
  g:hover .bar {
    fill: color-mix(in oklab, var(--_accent) 78%, var(--_text));
  }
  .target {
    fill: transparent;
  }
  @media (forced-colors: active) {
    .bar {
      fill: CanvasText;
    }
  }
`;

/** Usage of which the chart shows the images. */
export type ChartedUsage = Pick<Usage, 'from' | 'to'> & {
  days: { day: string; images: number }[];
  total: { images: number };
};

/** Bar chart of images by day. The page shows the same as a table. */
export class UsageChart extends LitElement {
  static override styles = [foundation, styles];
  static override properties = { usage: { attribute: false }, width: { state: true } };

  declare usage: ChartedUsage | null;
  /** Available width in pixels. */
  declare width: number;

  readonly #observer = new ResizeObserver(([entry]) => {
    this.width = Math.floor(entry?.contentRect.width ?? 0);
  });

  constructor() {
    super();
    new FollowLanguage(this);
    this.usage = null;
    this.width = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer.disconnect();
  }

  protected override render(): TemplateResult | typeof nothing {
    const { usage, width } = this;
    if (!usage || width === 0) return nothing;
    const { days, total, from, to } = usage;
    const steps = stepsFor(Math.max(...days.map(({ images }) => images)));
    const most = steps.at(-1) ?? 1;
    const left = 14 + formatNumber(most).length * 7;
    const slot = (width - left) / days.length;
    const floor = HEIGHT - BOTTOM;
    const yOf = (value: number) => floor - (value / most) * (floor - TOP);
    const images = STRINGS.overview.imageCount({ count: total.images });
    const label = STRINGS.overview.chartLabel({ images, from: formatDay(from), to: formatDay(to) });
    return html`<svg viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label=${label}>
      ${steps.map(
        (value) => svg`<line x1=${left} x2=${width} y1=${yOf(value)} y2=${yOf(value)} />
          <text x=${left - 8} y=${yOf(value) + 4} text-anchor="end">${formatNumber(value)}</text>`,
      )}
      ${days.map((day, index) => renderDay(day, { x: left + index * slot, slot, floor, yOf }))}
      ${renderCaptions(days, { left, slot })}
    </svg>`;
  }
}
customElements.define('usage-chart', UsageChart);

type Day = ChartedUsage['days'][number];

function renderDay(
  { day, images }: Day,
  { x, slot, floor, yOf }: { x: number; slot: number; floor: number; yOf: (value: number) => number },
): TemplateResult {
  const thickness = Math.max(1, Math.min(40, slot * 0.68));
  const height = images > 0 ? Math.max(3, floor - yOf(images)) : 2;
  const inset = (slot - thickness) / 2;
  return svg`<g>
    <title>${formatDay(day)}: ${formatNumber(images)}</title>
    <rect class="target" x=${x} y="0" width=${slot} height=${floor} />
    <rect class=${images > 0 ? 'bar' : 'none'} x=${x + inset} y=${floor - height} width=${thickness} height=${height}
      rx=${Math.min(3, thickness / 3)} />
  </g>`;
}

/** Renders the captions of the last day and of days at equal intervals before it. */
function renderCaptions(days: Day[], { left, slot }: { left: number; slot: number }): TemplateResult[] {
  const every = Math.max(1, Math.ceil(CAPTION / slot));
  const last = days.length - 1;
  return days.flatMap(({ day }, index) => {
    const x = left + (index + 0.5) * slot;
    if ((last - index) % every !== 0 || x < left + 20) return [];
    const isEdge = index === last && slot < CAPTION;
    return [
      svg`<text x=${isEdge ? left + (index + 1) * slot : x} y=${HEIGHT - 4} text-anchor=${isEdge ? 'end' : 'middle'}>${formatDay(day)}</text>`,
    ];
  });
}

/** Returns round axis values from 0 to at least `highest`, e.g. `[0, 5, 10]`. */
function stepsFor(highest: number): number[] {
  const rough = Math.max(1, highest / 3);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const count = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}
