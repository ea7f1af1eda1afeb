import { type DecodedSide, decodeSide } from '../decode-side.ts';
import type { ComparePair } from './compare-pair.ts';
import { drawSide, placeImage, type Viewport, type Zoom } from './viewport.ts';

/** Both decoded sides of an image. */
export interface DecodedPair {
  original: DecodedSide;
  result: DecodedSide;
}

/** Parts of the element the stage draws to. */
export interface StageParts {
  stage: HTMLElement;
  /** Covers the canvases; its scroll position moves the enlarged image. */
  scroller: HTMLElement;
  result: HTMLCanvasElement;
  original: HTMLCanvasElement;
}

/** Draws a pair of images and places the divider. */
export class CompareStage {
  /** Decoded images; null while loading or after a failure. */
  pair: DecodedPair | null = null;
  zoom: Zoom = 'fit';
  /** Share of the image that shows the original, 0-1. */
  share = 0.5;
  readonly #parts: () => StageParts;
  #id = '';
  #run = 0;
  #frame = 0;
  #view: Viewport | null = null;

  /** @param parts called each time, since an update may replace the parts */
  constructor(parts: () => StageParts) {
    this.#parts = parts;
  }

  /**
   * Decodes a pair. The present picture of the same image stays until then. False if another one was requested meanwhile.
   * @throws if a side cannot be fetched or decoded
   */
  async load(pair: ComparePair): Promise<boolean> {
    if (pair.id !== this.#id) this.release();
    this.#id = pair.id;
    this.#run += 1;
    const run = this.#run;
    const kept = this.pair?.original;
    const decoded = await Promise.allSettled([kept ?? decodeSide(pair.original), decodeSide(pair.result)]);
    const [original, result] = decoded;
    if (run === this.#run && original.status === 'fulfilled' && result.status === 'fulfilled') {
      this.pair?.result.bitmap.close();
      this.pair = { original: original.value, result: result.value };
      const { width, height } = original.value;
      const { stage } = this.#parts();
      stage.style.setProperty('--_stage-height', String(Math.round((stage.clientWidth * height) / width)));
      return true;
    }
    for (const side of decoded) if (side.status === 'fulfilled' && side.value !== kept) side.value.bitmap.close();
    if (run !== this.#run) return false;
    throw original.status === 'rejected' ? original.reason : (result as PromiseRejectedResult).reason;
  }

  /** Frees the memory and drops a load in progress. */
  release(): void {
    this.#run += 1;
    this.pair?.original.bitmap.close();
    this.pair?.result.bitmap.close();
    this.pair = null;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  /** Draws once before the next frame. */
  requestDraw(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.draw();
    });
  }

  /** Draws both sides and places the divider. */
  draw(): void {
    if (!this.pair) return;
    const { stage, scroller, result, original } = this.#parts();
    const size = { width: stage.clientWidth, height: stage.clientHeight, ratio: devicePixelRatio || 1 };
    const { scrollLeft, scrollTop } = scroller;
    const view = placeImage(this.pair.original, { ...size, scrollLeft, scrollTop }, this.zoom);
    this.#view = view;
    stage.style.setProperty('--_width', String(view.width));
    stage.style.setProperty('--_height', String(view.height));
    drawSide(result, this.pair.result.bitmap, view, size);
    drawSide(original, this.pair.original.bitmap, view, size);
    this.placeDivider();
  }

  /** Moves the divider to `share` without drawing. */
  placeDivider(): void {
    const { stage } = this.#parts();
    const { left, width } = this.#span(stage);
    const share = isRtl(stage) ? 1 - this.share : this.share;
    stage.style.setProperty('--_x', `${left + width * share}px`);
  }

  /** Returns the share at a pointer position, in whole percents. */
  shareAt(clientX: number): number {
    const { stage } = this.#parts();
    const { left, width } = this.#span(stage);
    const share = Math.min(1, Math.max(0, (clientX - stage.getBoundingClientRect().left - left) / width));
    return Math.round((isRtl(stage) ? 1 - share : share) * 100) / 100;
  }

  /** Draws at the current zoom and keeps the centre of the view. */
  drawAtZoom(): void {
    const before = this.#view;
    const { stage, scroller } = this.#parts();
    const { clientWidth, clientHeight } = stage;
    this.draw();
    const view = this.#view;
    if (!before || !view) return;
    scroller.scrollLeft = ((clientWidth / 2 - before.x) / before.width) * view.width - clientWidth / 2;
    scroller.scrollTop = ((clientHeight / 2 - before.y) / before.height) * view.height - clientHeight / 2;
    this.draw();
  }

  /** Returns the part of the stage the image covers, from the left edge. */
  #span(stage: HTMLElement): { left: number; width: number } {
    const view = this.#view;
    if (!view || view.width > stage.clientWidth) return { left: 0, width: stage.clientWidth };
    return { left: view.x, width: view.width };
  }
}

/** Tests whether the surrounding text runs from right to left. The stage itself never does. */
function isRtl(stage: HTMLElement): boolean {
  return stage.parentElement !== null && getComputedStyle(stage.parentElement).direction === 'rtl';
}
