import { html, nothing, type TemplateResult } from 'lit';
import { controls, foundation, tokens } from '../../styles/index.ts';
import { renderStep } from '../render-step.ts';
import { TranslatedElement } from '../translated-element.ts';
import type { ComparePair } from './compare-pair.ts';
import { CompareStage, type StageParts } from './compare-stage.ts';
import { followPointer } from './follow-pointer.ts';
import { compareStyles } from './io-compare.styles.ts';
import { renderFigures } from './render-figures.ts';
import type { Zoom } from './viewport.ts';

const ZOOMS: readonly Zoom[] = ['fit', 1, 2];

/** Details of `io-compare-change`. */
export interface CompareChangeDetail {
  id: string;
  /** Zero-based. */
  index: number;
}

/**
 * Compares images before and after by a divider that a slider, the arrow keys or the pointer moves. Draws the real bytes
 * on canvases without object URLs or image addresses, so it works under the strictest content security policy.
 *
 * @tag io-compare
 * @fires {CustomEvent<CompareChangeDetail>} io-compare-change - Another image of `pairs` is shown.
 * @csspart base - Outermost box.
 * @csspart compare - The stage with both images.
 * @csspart compare-handle - The divider.
 * @slot actions - Buttons after the zoom.
 * @slot close - A button at the end of the head.
 */
export class IoCompare extends TranslatedElement {
  static override styles = [tokens, foundation, ...controls, compareStyles];
  static override properties = {
    pairs: { attribute: false },
    index: { type: Number },
    split: { type: Number },
    brief: { type: Boolean },
    zoom: { state: true },
    loading: { state: true },
    failed: { state: true },
    whole: { state: true },
  };

  /** The images to compare. */
  declare pairs: readonly ComparePair[];
  /** Zero-based index of the shown pair. */
  declare index: number;
  /** Position of the divider: percent of the image that shows the original, 0-100. */
  declare split: number;
  /** The bytes and the quality of the result are told elsewhere. */
  declare brief: boolean;
  declare protected zoom: Zoom;
  declare protected loading: boolean;
  declare protected failed: boolean;
  /** True while "Show original" is pressed. */
  declare protected whole: boolean;

  #shown: ComparePair | null = null;
  #resizes: ResizeObserver | null = null;
  readonly #stage = new CompareStage(() => this.#parts());
  readonly #redraw = () => this.#stage.requestDraw();
  readonly #pointer = followPointer({
    ready: () => this.#stage.pair !== null,
    zoomed: () => this.zoom !== 'fit',
    onMove: (clientX) => this.#moveTo(this.#stage.shareAt(clientX) * 100),
  });

  constructor() {
    super();
    this.pairs = [];
    this.index = 0;
    this.split = 50;
    this.brief = false;
    this.zoom = 'fit';
    this.loading = false;
    this.failed = false;
    this.whole = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // A change of the device pixel ratio resizes the window, not the stage.
    globalThis.addEventListener('resize', this.#redraw);
    if (!this.hasUpdated) return;
    this.#observe();
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    globalThis.removeEventListener('resize', this.#redraw);
    this.#resizes?.disconnect();
    this.#stage.release();
    this.#shown = null;
  }

  /** Shown pair; null without one. */
  get pair(): ComparePair | null {
    return this.pairs[Math.min(Math.max(0, this.index), this.pairs.length - 1)] ?? null;
  }

  protected override firstUpdated(): void {
    this.#observe();
  }

  protected override willUpdate(): void {
    if (this.pair === this.#shown) return;
    this.failed = false;
    this.loading = this.pair !== null;
  }

  protected override updated(changed: Map<PropertyKey, unknown>): void {
    this.#stage.share = this.#share / 100;
    this.#stage.zoom = this.zoom;
    if (this.pair !== this.#shown) void this.#load();
    else if (changed.has('zoom')) this.#stage.drawAtZoom();
    else if (changed.has('split') || changed.has('whole')) this.#stage.placeDivider();
    else this.#redraw();
  }

  #parts(): StageParts {
    const find = (selector: string) => this.renderRoot.querySelector(selector) as HTMLElement;
    return {
      stage: find('.stage'),
      scroller: find('.scroller'),
      result: find('.result') as HTMLCanvasElement,
      original: find('.original') as HTMLCanvasElement,
    };
  }

  #observe(): void {
    this.#resizes ??= new ResizeObserver(this.#redraw);
    this.#resizes.observe(this.#parts().stage);
  }

  async #load(): Promise<void> {
    const { pair } = this;
    this.#shown = pair;
    if (!pair) return this.#stage.release();
    try {
      if (!(await this.#stage.load(pair))) return;
    } catch {
      this.failed = true;
    }
    this.loading = false;
  }

  #moveTo(split: number): void {
    this.whole = false;
    this.split = Math.round(split);
  }

  #step(by: number): void {
    const index = this.index + by;
    const pair = this.pairs[index];
    if (!pair) return;
    this.index = index;
    const detail: CompareChangeDetail = { id: pair.id, index };
    this.dispatchEvent(new CustomEvent('io-compare-change', { detail, bubbles: true, composed: true }));
  }

  protected override render(): TemplateResult {
    const pair = this.pair;
    return html`
      <div class="base" part="base">
        <header>
          <div class="title">
            <h3><bdi>${pair?.name ?? ''}</bdi></h3>
            ${pair ? renderFigures(pair, this.i18n, this.brief) : nothing}
          </div>
          ${this.pairs.length > 1 ? this.#renderSteps() : nothing}
          <slot name="close"></slot>
        </header>
        ${this.#renderStage()}
        ${this.#renderTools()}
        ${this.#renderNote()}
      </div>
    `;
  }

  /** True if there is no picture to compare, not even the one before. */
  get #covered(): boolean {
    return this.failed || (this.loading && !this.#stage.pair);
  }

  /** Percent of the image that shows the original. */
  get #share(): number {
    return this.whole ? 100 : this.split;
  }

  #renderStage(): TemplateResult {
    const { t } = this.i18n;
    const rtl = getComputedStyle(this).direction === 'rtl';
    const share = this.#share;
    const zoomed = this.zoom !== 'fit';
    const covered = this.#covered;
    const originalTag = html`<span class="tag ${rtl ? 'right' : 'left'} ${share < 12 ? 'covered' : ''}" aria-hidden="true">${t('compare.original')}</span>`;
    const resultTag = html`<span class="tag ${rtl ? 'left' : 'right'} ${share > 88 ? 'covered' : ''}" aria-hidden="true">${t('compare.result')}</span>`;
    return html`
      <div class="stage ${zoomed ? 'zoomed' : ''} ${rtl ? 'rtl' : ''}" part="compare" aria-busy=${this.loading}>
        <canvas class="result" aria-hidden="true"></canvas>
        <canvas class="original" aria-hidden="true"></canvas>
        <div
          class="scroller"
          role="group"
          aria-label=${t(zoomed ? 'compare.pan' : 'compare.stage')}
          tabindex=${zoomed ? 0 : nothing}
          @scroll=${this.#redraw}
          @pointerdown=${this.#pointer.press}
          @pointermove=${this.#pointer.drag}
          @lostpointercapture=${this.#pointer.release}
        >
          <div class="spacer"></div>
        </div>
        ${originalTag}${resultTag}
        <div
          class="handle"
          part="compare-handle"
          aria-hidden="true"
          ?hidden=${this.whole || covered}
          @pointerdown=${this.#pointer.press}
          @pointermove=${this.#pointer.drag}
        >
          <svg class="icon" viewBox="0 0 20 20"><path d="m7 6-4 4 4 4m6-8 4 4-4 4" /></svg>
        </div>
        ${this.loading ? html`<div class=${this.#stage.pair ? 'tag wait' : 'cover muted'}>${t('compare.loading')}</div>` : nothing}
        ${this.failed ? this.#renderFailure() : nothing}
      </div>
    `;
  }

  #renderTools(): TemplateResult {
    const { t, formatPercent } = this.i18n;
    const share = this.#share;
    return html`
      <div class="tools">
        <input
          class="split"
          type="range"
          min="0"
          max="100"
          .value=${String(share)}
          ?disabled=${this.#covered}
          aria-label=${t('compare.split')}
          aria-valuetext=${t('compare.split-value', { percent: formatPercent(share / 100) })}
          @input=${(event: Event) => this.#moveTo(Number((event.target as HTMLInputElement).value))}
        />
        <button type="button" class="button" aria-pressed=${this.whole} @click=${() => (this.whole = !this.whole)}>
          ${t('compare.show-original')}
        </button>
        <div class="segments" role="group" aria-label=${t('compare.zoom')}>${ZOOMS.map((zoom) => this.#renderZoom(zoom))}</div>
        <slot name="actions"></slot>
      </div>
    `;
  }

  #renderZoom(zoom: Zoom): TemplateResult {
    const label = zoom === 'fit' ? this.i18n.t('compare.fit') : html`<bdi dir="ltr">${zoom}×</bdi>`;
    const pressed = this.zoom === zoom;
    return html`<button type="button" class="button" aria-pressed=${pressed} @click=${() => (this.zoom = zoom)}>${label}</button>`;
  }

  #renderSteps(): TemplateResult {
    const { index, i18n } = this;
    const count = this.pairs.length;
    const step = (by: number) => this.#step(by);
    return html`
      <div class="steps">
        ${renderStep('previous', index > 0, step, i18n)}
        <span class="numbers" aria-live="polite">${i18n.t('compare.position', { index: index + 1, count })}</span>
        ${renderStep('next', index < count - 1, step, i18n)}
      </div>
    `;
  }

  #renderNote(): TemplateResult | typeof nothing {
    const { t } = this.i18n;
    const { original, result } = this.#stage.pair ?? {};
    if (original?.preview) return html`<p class="hint">${t('compare.preview')}</p>`;
    return original?.reduced || result?.reduced ? html`<p class="hint">${t('compare.reduced')}</p>` : nothing;
  }

  #retry(): void {
    this.#shown = null;
    this.requestUpdate();
  }

  #renderFailure(): TemplateResult {
    const { t } = this.i18n;
    return html`
      <div class="cover" role="alert">
        <p>${t('compare.failed')}</p>
        <button type="button" class="button" @click=${this.#retry}>${t('action.retry')}</button>
      </div>
    `;
  }
}
