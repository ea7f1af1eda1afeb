import type { IoRow, ThumbQueue } from '../io-row/index.ts';

/** Most expanded rows, beside those near the visible part. Lists of up to this length have only expanded rows. */
const MOST_EXPANDED = 24;
/** Expanded rows of the first paint, about a screen. The observer reports them a frame too late. */
const FIRST_EXPANDED = 6;
/** Distance from the visible part at which a row is expanded. */
const NEAR = '400px 0px';
/** Time without new rows after which all rows of a short list are expanded, in milliseconds. */
const CALM_MS = 150;
/** Interval of the slices in which they are expanded, in milliseconds. */
const SLICE_MS = 16;
const SLICE_ROWS = 4;

/**
 * Expands some rows of a list and shows their thumbnails: those near the visible part or the focus, those at the ends,
 * where Tab enters, and those that were visible last. Other rows are brief and keep their measured height, or the height of
 * the first measured row. Cards of a grid all have the height of the highest expanded one. In another width, all heights are
 * measured again.
 */
export class ExpandedRows {
  readonly #list: HTMLElement;
  readonly #thumbs: () => ThumbQueue | null;
  #frame: number;
  #observer: IntersectionObserver | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #rows: readonly IoRow[] = [];
  /** Row that has the focus or is about to get it. */
  #focused: IoRow | undefined;
  #all = false;
  readonly #observed = new Set<IoRow>();
  readonly #near = new Set<IoRow>();
  /** Expanded rows; the first has been out of sight for the longest time. */
  readonly #expanded = new Set<IoRow>();
  readonly #resized = new ResizeObserver(() => {
    cancelAnimationFrame(this.#frame);
    // Within the report, new heights would cause another one in the same frame, which browsers report as an error.
    this.#frame = requestAnimationFrame(() => this.#onResize());
  });
  #width = 0;
  #heights = new WeakMap<IoRow, number>();
  #height = 0;

  constructor(list: HTMLElement, thumbs: () => ThumbQueue | null) {
    this.#list = list;
    this.#thumbs = thumbs;
    // Reading a computed style during the first rendering would force a layout.
    this.#frame = requestAnimationFrame(() => {
      const root = getComputedStyle(list).maxBlockSize === 'none' ? null : list;
      // A margin works only with the scroller itself as the root.
      this.#observer = new IntersectionObserver((entries) => this.#onIntersect(entries), { root, rootMargin: NEAR });
      this.#observe();
      this.#resized.observe(list);
    });
  }

  get #grid(): boolean {
    return this.#list.classList.contains('grid');
  }

  /**
   * Called if rows came or went, or if the focus moves. The neighbours of `focused` are expanded, so that Tab reaches their
   * fields. `all`: every row in the page is expanded, since the others are not in the page.
   */
  arrange(rows: readonly IoRow[], focused: IoRow | undefined, all: boolean): void {
    this.#rows = rows;
    this.#focused = focused;
    this.#all = all;
    this.#observe();
    this.#choose();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#completeShortList(), CALM_MS);
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#observer?.disconnect();
    this.#resized.disconnect();
  }

  #onIntersect(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      const row = target.firstElementChild as IoRow;
      if (!row.brief && !this.#grid) this.#measure(row, boundingClientRect.height);
      const queue = this.#thumbs();
      if (isIntersecting && queue) {
        this.#near.add(row);
        row.showThumb(queue);
      } else {
        this.#near.delete(row);
        row.hideThumb();
      }
    }
    if (this.#grid) this.#measureCards();
    this.#choose();
  }

  #measure(row: IoRow, height: number): void {
    if (height === 0) return;
    this.#heights.set(row, height);
    if (this.#height === 0) this.#setHeight(height);
  }

  /** Measures the cards themselves: their places are as high as the highest place of the line. */
  #measureCards(): void {
    const heights = [...this.#expanded].map((row) => (row.brief ? 0 : row.offsetHeight));
    this.#setHeight(Math.max(0, ...heights));
  }

  #setHeight(height: number): void {
    if (height === 0 || height === this.#height) return;
    this.#height = height;
    this.#list.style.setProperty('--_height', `${Math.round(height)}px`);
  }

  /** In another width, kept heights are wrong. In a grid, another height means other cards. */
  #onResize(): void {
    const width = this.#list.clientWidth;
    if (width === 0 || (width === this.#width && !this.#grid)) return;
    const first = this.#width === 0;
    this.#width = width;
    if (this.#grid) this.#measureCards();
    else if (!first) this.#remeasure();
  }

  #remeasure(): void {
    this.#heights = new WeakMap();
    this.#height = 0;
    for (const { parentElement } of this.#rows) parentElement?.style.removeProperty('min-block-size');
    for (const row of this.#expanded) this.#measure(row, row.parentElement?.offsetHeight ?? 0);
  }

  /** Expands the rows that must be expanded, and collapses the oldest of the others. */
  #choose(): void {
    const rows = this.#rows;
    const at = this.#focused ? rows.indexOf(this.#focused) : -1;
    const around = at < 0 ? [] : rows.slice(Math.max(0, at - 1), at + 2);
    const first = this.#near.size === 0 ? FIRST_EXPANDED : 1;
    const kept = new Set(this.#all ? rows : [...rows.slice(0, first), ...rows.slice(-1), ...this.#near, ...around]);
    for (const row of kept) this.#expand(row);
    for (const row of this.#expanded) {
      if (this.#expanded.size <= MOST_EXPANDED) break;
      if (!kept.has(row) && !row.matches(':focus-within')) {
        this.#expanded.delete(row);
        this.#setBrief(row, true);
      }
    }
  }

  #expand(row: IoRow): void {
    this.#expanded.delete(row);
    this.#expanded.add(row);
    if (row.brief) this.#setBrief(row, false);
  }

  #setBrief(row: IoRow, brief: boolean): void {
    row.brief = brief;
    const place = row.parentElement;
    const height = brief ? this.#heights.get(row) : undefined;
    place?.classList.toggle('brief', brief);
    place?.style.setProperty('min-block-size', height ? `${height}px` : '');
  }

  /** Expands all rows of a short list, for searches in the page and for screen readers that do not scroll. */
  #completeShortList(): void {
    this.#timer = undefined;
    if (this.#rows.length > MOST_EXPANDED) return;
    const brief = this.#rows.filter((row) => row.brief);
    for (const row of brief.slice(0, SLICE_ROWS)) this.#expand(row);
    if (brief.length > SLICE_ROWS) this.#timer = setTimeout(() => this.#completeShortList(), SLICE_MS);
  }

  /** Observes new rows and forgets removed ones. */
  #observe(): void {
    const observer = this.#observer;
    if (!observer) return;
    const present = new Set(this.#rows);
    for (const row of this.#observed) {
      if (present.has(row)) continue;
      for (const rows of [this.#observed, this.#near, this.#expanded]) rows.delete(row);
      if (row.parentElement) observer.unobserve(row.parentElement);
    }
    for (const row of this.#rows) {
      if (this.#observed.has(row) || !row.parentElement) continue;
      this.#observed.add(row);
      observer.observe(row.parentElement);
    }
  }
}
