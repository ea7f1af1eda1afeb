import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { createI18n, en, type I18n } from '../../i18n/index.ts';
import { controls, foundation, icon, tokens } from '../../styles/index.ts';
import type { ComparePair, CompareSide } from './compare-pair.ts';
import { type DecodedSide, decodeSide } from './decode-side.ts';
import { compareStyles } from './io-compare.styles.ts';
import { drawSide, placeImage, type Viewport, type Zoom } from './viewport.ts';

const ZOOMS: readonly Zoom[] = ['fit', 1, 2];

/** Details of `io-compare-change`. */
export interface CompareChangeDetail {
  id: string;
  /** Zero-based. */
  index: number;
}

/**
 * Shows images before and after: the real bytes of both sides under a divider that a slider, the arrow keys or the
 * pointer moves. It draws on canvases: no object URL, no image address, so the strictest content security policy will do.
 *
 * @tag io-compare
 * @fires {CustomEvent<CompareChangeDetail>} io-compare-change - Another image of `pairs` is shown.
 * @csspart base - Everything.
 * @csspart compare - The stage with both images.
 * @csspart compare-handle - The divider.
 * @slot actions - Buttons after the zoom.
 */
export class IoCompare extends LitElement {
  static override styles = [tokens, foundation, ...controls, compareStyles];
  static override properties = {
    pairs: { attribute: false },
    index: { type: Number },
    split: { type: Number },
    i18n: { attribute: false },
    zoom: { state: true },
    loading: { state: true },
    failed: { state: true },
    whole: { state: true },
  };

  /** The images to compare. */
  declare pairs: readonly ComparePair[];
  /** Which of `pairs` is shown, from 0. */
  declare index: number;
  /** Where the divider is: 0-100, percent of the image that shows the original. */
  declare split: number;
  /** Texts and number formats. @default English */
  declare i18n: I18n;
  declare protected zoom: Zoom;
  declare protected loading: boolean;
  declare protected failed: boolean;
  /** True while "Show original" is pressed. */
  declare protected whole: boolean;

  #sides: { original: DecodedSide; result: DecodedSide } | null = null;
  #shown: ComparePair | null = null;
  #run = 0;
  #frame = 0;
  #view: Viewport | null = null;
  #grip: { x: number; y: number; left: number; top: number } | null = null;
  #resizes: ResizeObserver | null = null;
  readonly #place = () => this.#requestDraw();

  constructor() {
    super();
    this.pairs = [];
    this.index = 0;
    this.split = 50;
    this.i18n = createI18n({ locale: 'en', messages: en });
    this.zoom = 'fit';
    this.loading = false;
    this.failed = false;
    this.whole = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // A change of the screen's pixel ratio resizes the window, not the stage.
    globalThis.addEventListener('resize', this.#place);
    if (this.hasUpdated) {
      this.#observe();
      void this.#load();
    }
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    globalThis.removeEventListener('resize', this.#place);
    this.#resizes?.disconnect();
    this.#run += 1;
    this.#release();
  }

  /** The image that is shown. */
  get pair(): ComparePair | null {
    return this.pairs[Math.min(Math.max(0, this.index), this.pairs.length - 1)] ?? null;
  }

  protected override firstUpdated(): void {
    this.#observe();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (this.pair !== this.#shown) void this.#load();
    else if (changed.has('split') || (changed as Map<string, unknown>).has('whole')) this.#placeDivider();
    else this.#requestDraw();
  }

  #observe(): void {
    this.#resizes ??= new ResizeObserver(this.#place);
    this.#resizes.observe(this.#stage);
  }

  get #stage(): HTMLElement {
    return this.renderRoot.querySelector('.stage') as HTMLElement;
  }

  get #scroller(): HTMLElement {
    return this.renderRoot.querySelector('.scroller') as HTMLElement;
  }

  #release(): void {
    this.#sides?.original.bitmap.close();
    this.#sides?.result.bitmap.close();
    this.#sides = null;
    this.#shown = null;
  }

  async #load(): Promise<void> {
    this.#release();
    const pair = this.pair;
    this.#shown = pair;
    this.#run += 1;
    const run = this.#run;
    this.failed = false;
    this.loading = pair !== null;
    if (!pair) return;
    const decoded = await Promise.allSettled([decodeSide(pair.original), decodeSide(pair.result)]);
    const [original, result] = decoded;
    if (run !== this.#run || original.status === 'rejected' || result.status === 'rejected') {
      for (const side of decoded) if (side.status === 'fulfilled') side.value.bitmap.close();
      if (run !== this.#run) return;
      this.failed = true;
    } else {
      this.#sides = { original: original.value, result: result.value };
      const { width, height } = original.value;
      this.#stage.style.setProperty('--_stage-height', String(Math.round((this.#stage.clientWidth * height) / width)));
    }
    this.loading = false;
    this.requestUpdate();
  }

  #requestDraw(): void {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw(): void {
    const sides = this.#sides;
    if (!sides || !this.isConnected) return;
    const stage = this.#stage;
    const { scrollLeft, scrollTop } = this.#scroller;
    const size = { width: stage.clientWidth, height: stage.clientHeight, ratio: devicePixelRatio || 1 };
    const view = placeImage(sides.original, { ...size, scrollLeft, scrollTop }, this.zoom);
    this.#view = view;
    stage.style.setProperty('--_width', String(view.width));
    stage.style.setProperty('--_height', String(view.height));
    const [result, original] = this.renderRoot.querySelectorAll('canvas');
    if (result) drawSide(result, sides.result.bitmap, view, size);
    if (original) drawSide(original, sides.original.bitmap, view, size);
    this.#placeDivider();
  }

  /** The part of the stage, from its left edge, that the image covers. */
  #span(): { left: number; width: number } {
    const stage = this.#stage.clientWidth;
    const view = this.#view;
    if (!view || view.width > stage) return { left: 0, width: stage };
    return { left: view.x, width: view.width };
  }

  #rtl(): boolean {
    return getComputedStyle(this).direction === 'rtl';
  }

  #placeDivider(): void {
    const { left, width } = this.#span();
    const share = (this.whole ? 100 : this.split) / 100;
    this.#stage.style.setProperty('--_x', `${left + width * (this.#rtl() ? 1 - share : share)}px`);
  }

  #moveTo(clientX: number): void {
    const { left, width } = this.#span();
    const share = (clientX - this.#stage.getBoundingClientRect().left - left) / width;
    this.whole = false;
    this.split = Math.round(Math.min(1, Math.max(0, this.#rtl() ? 1 - share : share)) * 100);
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0 || !this.#sides) return;
    const target = event.currentTarget as HTMLElement;
    if (target === this.#scroller && this.zoom !== 'fit' && event.pointerType !== 'mouse') return;
    target.setPointerCapture(event.pointerId);
    if (target === this.#scroller && this.zoom !== 'fit') {
      this.#grip = { x: event.clientX, y: event.clientY, left: target.scrollLeft, top: target.scrollTop };
      target.classList.add('panning');
    } else this.#moveTo(event.clientX);
  }

  #drag(event: PointerEvent): void {
    const target = event.currentTarget as HTMLElement;
    if (!target.hasPointerCapture(event.pointerId)) return;
    if (this.#grip) {
      target.scrollLeft = this.#grip.left - (event.clientX - this.#grip.x);
      target.scrollTop = this.#grip.top - (event.clientY - this.#grip.y);
    } else this.#moveTo(event.clientX);
  }

  #drop(): void {
    this.#grip = null;
    this.#scroller.classList.remove('panning');
  }

  async #setZoom(zoom: Zoom): Promise<void> {
    const view = this.#view;
    const scroller = this.#scroller;
    const { clientWidth, clientHeight } = this.#stage;
    // What was in the middle stays in the middle.
    const middle = view && { x: (clientWidth / 2 - view.x) / view.width, y: (clientHeight / 2 - view.y) / view.height };
    this.zoom = zoom;
    await this.updateComplete;
    this.#draw();
    if (!middle || !this.#view) return;
    scroller.scrollLeft = middle.x * this.#view.width - clientWidth / 2;
    scroller.scrollTop = middle.y * this.#view.height - clientHeight / 2;
    this.#requestDraw();
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
    const { t } = this.i18n;
    const pair = this.pair;
    const rtl = this.hasUpdated && this.#rtl();
    const share = this.whole ? 100 : this.split;
    const zoomed = this.zoom !== 'fit';
    const originalTag = html`<span class="tag ${rtl ? 'right' : 'left'} ${share < 12 ? 'covered' : ''}" aria-hidden="true">${t('compare.original')}</span>`;
    const resultTag = html`<span class="tag ${rtl ? 'left' : 'right'} ${share > 88 ? 'covered' : ''}" aria-hidden="true">${t('compare.result')}</span>`;
    return html`
      <div class="base" part="base">
        <header>
          <div class="title">
            <h3><bdi>${pair?.name ?? ''}</bdi></h3>
            ${pair ? this.#renderFigures(pair) : nothing}
          </div>
          ${this.pairs.length > 1 ? this.#renderSteps() : nothing}
        </header>
        <div class="stage ${zoomed ? 'zoomed' : ''} ${rtl ? 'rtl' : ''}" part="compare" aria-busy=${this.loading}>
          <canvas class="result" aria-hidden="true"></canvas>
          <canvas class="original" aria-hidden="true"></canvas>
          <div
            class="scroller"
            role="group"
            aria-label=${t(zoomed ? 'compare.pan' : 'compare.stage')}
            tabindex=${zoomed ? 0 : nothing}
            @scroll=${this.#place}
            @pointerdown=${this.#press}
            @pointermove=${this.#drag}
            @lostpointercapture=${this.#drop}
          >
            <div class="spacer"></div>
          </div>
          ${originalTag}${resultTag}
          <div
            class="handle"
            part="compare-handle"
            aria-hidden="true"
            ?hidden=${this.whole || this.loading || this.failed}
            @pointerdown=${this.#press}
            @pointermove=${this.#drag}
          >
            <svg class="icon" viewBox="0 0 20 20"><path d="m7 6-4 4 4 4m6-8 4 4-4 4" /></svg>
          </div>
          ${this.loading ? html`<div class="cover muted">${t('compare.loading')}</div>` : nothing}
          ${this.failed ? this.#renderFailure() : nothing}
        </div>
        <div class="tools">
          <input
            class="split"
            type="range"
            min="0"
            max="100"
            .value=${String(share)}
            ?disabled=${!this.#sides}
            aria-label=${t('compare.split')}
            aria-valuetext=${t('compare.split-value', { percent: this.i18n.formatPercent(share / 100) })}
            @input=${this.#slide}
          />
          <button type="button" class="button" aria-pressed=${this.whole} @click=${() => (this.whole = !this.whole)}>
            ${t('compare.show-original')}
          </button>
          <div class="segments" role="group" aria-label=${t('compare.zoom')}>${ZOOMS.map((zoom) => this.#renderZoom(zoom))}</div>
          <slot name="actions"></slot>
        </div>
        ${this.#renderNote()}
      </div>
    `;
  }

  #slide(event: Event): void {
    this.whole = false;
    this.split = Number((event.target as HTMLInputElement).value);
  }

  #renderZoom(zoom: Zoom): TemplateResult {
    const label = zoom === 'fit' ? this.i18n.t('compare.fit') : `${this.i18n.formatNumber(zoom)}×`;
    const pressed = this.zoom === zoom;
    return html`<button type="button" class="button" aria-pressed=${pressed} @click=${() => this.#setZoom(zoom)}>${label}</button>`;
  }

  #renderSteps(): TemplateResult {
    const { t } = this.i18n;
    const last = this.pairs.length - 1;
    return html`
      <div class="steps">
        <button type="button" class="button icon-only" aria-label=${t('compare.previous')}
          aria-disabled=${this.index <= 0} @click=${() => this.#step(-1)}>${icon('down')}</button>
        <span class="numbers" aria-live="polite">${t('compare.position', { index: this.index + 1, count: last + 1 })}</span>
        <button type="button" class="button icon-only next" aria-label=${t('compare.next')}
          aria-disabled=${this.index >= last} @click=${() => this.#step(1)}>${icon('down')}</button>
      </div>
    `;
  }

  #renderFigures({ original, result }: ComparePair): TemplateResult {
    const { t, formatBytes, formatPercent } = this.i18n;
    const sizes = original.size !== null && result.size !== null ? { from: original.size, to: result.size } : null;
    const saved = sizes && sizes.from > 0 ? 1 - sizes.to / sizes.from : 0;
    const key = saved > 0.0049 ? 'compare.smaller' : saved < -0.0049 ? 'compare.larger' : 'compare.same-size';
    const params = sizes && {
      from: formatBytes(sizes.from),
      to: formatBytes(sizes.to),
      percent: formatPercent(Math.abs(saved)),
    };
    return html`
      <p class="figures numbers">
        ${params ? html`<strong><bdi>${t(key, params)}</bdi></strong>` : nothing}
        <span class="muted"><bdi>${t('compare.from-to', { from: this.#describe(original), to: this.#describe(result) })}</bdi></span>
      </p>
    `;
  }

  #describe(side: CompareSide): string {
    const size = side.width && side.height ? `${side.width} × ${side.height}` : '';
    return [side.format.toUpperCase(), size].filter(Boolean).join(' ');
  }

  #renderNote(): TemplateResult | typeof nothing {
    const { t } = this.i18n;
    const original = this.#sides?.original;
    if (original?.preview) return html`<p class="hint">${t('compare.preview')}</p>`;
    return original?.reduced || this.#sides?.result.reduced
      ? html`<p class="hint">${t('compare.reduced')}</p>`
      : nothing;
  }

  #renderFailure(): TemplateResult {
    const { t } = this.i18n;
    return html`
      <div class="cover" role="alert">
        <p>${t('compare.failed')}</p>
        <button type="button" class="button" @click=${() => this.#load()}>${t('compare.retry')}</button>
      </div>
    `;
  }
}
