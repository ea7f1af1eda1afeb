import type { IoRow, ThumbQueue } from '../io-row/index.ts';

/** Rows that are whole at most, beside those near the visible part; shorter lists have whole rows alone. */
const WHOLE_ROWS = 24;
/** Rows of the first paint that are whole: a screen full. The observer tells of them a frame too late. */
const FIRST_WHOLE = 6;
/** Distance from the visible part at which a row is rendered completely. */
const NEAR = '400px 0px';
/** Time in which nothing came into a short list until all its rows become whole, some at a time, in milliseconds. */
const CALM_MS = 150;
const SLICE_MS = 16;
const SLICE_ROWS = 4;

/** Which rows of a list are whole. */
export interface WholeRows {
  /**
   * Rows came or went, or another one has the focus or is to get it: its neighbours are whole, so that Tab finds their
   * fields. `all`: there are few, since the others are not in the page.
   */
  arrange(rows: readonly IoRow[], focused: IoRow | undefined, all: boolean): void;
  close(): void;
}

/**
 * Keeps rows whole that are near the visible part or the focus, at the ends, where Tab comes in, or were in sight not
 * long ago; and has their thumbnails made. All others are brief, and as high as they were or as the first one is.
 */
export function createWholeRows(list: HTMLElement, thumbs: () => ThumbQueue | null): WholeRows {
  // To ask for a computed size amid the first rendering would cost a layout of its own.
  const frame = requestAnimationFrame(() => {
    const root = getComputedStyle(list).maxBlockSize === 'none' ? null : list;
    // A margin works only with the scroller itself as the root.
    sight = new IntersectionObserver(react, { root, rootMargin: NEAR });
    watch();
  });
  let sight: IntersectionObserver | null = null;
  const watched = new Set<IoRow>();
  const near = new Set<IoRow>();
  /** Out of sight longest first. */
  const whole = new Set<IoRow>();
  const heights = new WeakMap<IoRow, number>();
  let rows: readonly IoRow[] = [];
  let focused: IoRow | undefined;
  let all = false;
  let measured = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function react(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      const row = target.firstElementChild as IoRow;
      const { height } = boundingClientRect;
      if (height > 0 && !row.brief) heights.set(row, height);
      if (height > 0 && !row.brief && !measured) {
        measured = true;
        list.style.setProperty('--_height', `${Math.round(height)}px`);
      }
      const queue = thumbs();
      if (isIntersecting && queue) {
        near.add(row);
        row.showThumb(queue);
      } else {
        near.delete(row);
        row.hideThumb();
      }
    }
    settle();
  }

  function open(row: IoRow): void {
    whole.delete(row);
    whole.add(row);
    if (row.brief) setPlace(row, false);
  }

  function setPlace(row: IoRow, brief: boolean): void {
    row.brief = brief;
    const place = row.parentElement;
    const height = brief ? heights.get(row) : undefined;
    place?.classList.toggle('brief', brief);
    place?.style.setProperty('min-block-size', height ? `${height}px` : '');
  }

  function settle(): void {
    const at = focused ? rows.indexOf(focused) : -1;
    const around = at < 0 ? [] : rows.slice(Math.max(0, at - 1), at + 2);
    const first = near.size === 0 ? FIRST_WHOLE : 1;
    const kept = new Set(all ? rows : [...rows.slice(0, first), ...rows.slice(-1), ...near, ...around]);
    for (const row of kept) open(row);
    for (const row of whole) {
      if (whole.size <= WHOLE_ROWS) break;
      if (!kept.has(row) && !row.matches(':focus-within')) {
        whole.delete(row);
        setPlace(row, true);
      }
    }
  }

  /** A short list is whole, for those who search in the page or read it without scrolling. */
  function fill(): void {
    timer = undefined;
    if (rows.length > WHOLE_ROWS) return;
    const brief = rows.filter((row) => row.brief);
    for (const row of brief.slice(0, SLICE_ROWS)) open(row);
    if (brief.length > SLICE_ROWS) timer = setTimeout(fill, SLICE_MS);
  }

  function watch(): void {
    if (!sight) return;
    const present = new Set(rows);
    for (const row of watched) {
      if (present.has(row)) continue;
      watched.delete(row);
      near.delete(row);
      whole.delete(row);
      if (row.parentElement) sight.unobserve(row.parentElement);
    }
    for (const row of rows) {
      if (watched.has(row) || !row.parentElement) continue;
      watched.add(row);
      sight.observe(row.parentElement);
    }
  }

  return {
    arrange(present, active, everyOne) {
      rows = present;
      focused = active;
      all = everyOne;
      watch();
      settle();
      clearTimeout(timer);
      timer = setTimeout(fill, CALM_MS);
    },
    close() {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      sight?.disconnect();
    },
  };
}
