/** Range of rows by index: `start` included, `end` excluded. */
export interface RowRange {
  start: number;
  end: number;
}

/** Heights of rows: measured ones, else the mean of the measured ones. */
export interface RowHeights {
  measure(id: string, height: number): void;
  of(id: string): number;
}

/** Creates the heights. Rows have `initial` pixels until one is measured. */
export function createRowHeights(initial: number): RowHeights {
  const known = new Map<string, number>();
  let sum = 0;
  return {
    measure(id, height) {
      sum += height - (known.get(id) ?? 0);
      known.set(id, height);
    },
    of: (id) => known.get(id) ?? (known.size > 0 ? sum / known.size : initial),
  };
}

/** Returns the rows between `top` and `bottom`, in pixels from the first row's upper edge. */
export function findRange(ids: readonly string[], heights: RowHeights, top: number, bottom: number): RowRange {
  let start = 0;
  let y = 0;
  while (start < ids.length - 1) {
    const height = heights.of(ids[start] as string);
    if (y + height > top) break;
    y += height;
    start += 1;
  }
  let end = start;
  while (end < ids.length && y < bottom) {
    y += heights.of(ids[end] as string);
    end += 1;
  }
  return { start, end };
}

/** Entry of the list: a row, or a gap in the height of the missing rows. */
export type ListEntry = { key: string; id: string; index: number } | { key: string; gap: number };

/** Returns the rows of `range` and the one at `pinned`, in order, with gaps for all others. */
export function layOut(
  ids: readonly string[],
  heights: RowHeights,
  range: RowRange,
  pinned: number | null,
): ListEntry[] {
  const ranges: RowRange[] = [range];
  if (pinned !== null && pinned < range.start) ranges.unshift({ start: pinned, end: pinned + 1 });
  if (pinned !== null && pinned >= range.end) ranges.push({ start: pinned, end: pinned + 1 });
  const entries: ListEntry[] = [];
  let place = 0;
  let gaps = 0;
  const addGap = (until: number) => {
    let gap = 0;
    for (; place < until; place += 1) gap += heights.of(ids[place] as string);
    entries.push({ key: `gap-${gaps}`, gap });
    gaps += 1;
  };
  for (const { start, end } of ranges) {
    addGap(start);
    for (; place < Math.min(end, ids.length); place += 1) {
      const id = ids[place] as string;
      entries.push({ key: id, id, index: place });
    }
  }
  addGap(ids.length);
  return entries;
}
