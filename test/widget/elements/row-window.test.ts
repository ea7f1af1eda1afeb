import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRowHeights, findRange, layOut } from '../../../widget/elements/io-list/row-window.ts';

const ids = (count: number) => Array.from({ length: count }, (_, index) => `row-${index}`);

describe('the window of a long list', () => {
  it('has the visible rows, by measured heights if there are any', () => {
    const heights = createRowHeights(100);
    expect(findRange(ids(2000), heights, 1000, 1500)).toEqual({ start: 10, end: 15 });
    for (const id of ids(20)) heights.measure(id, 50);
    expect(findRange(ids(2000), heights, 1000, 1500)).toEqual({ start: 20, end: 30 });
    heights.measure('row-0', 1000);
    expect(heights.of('row-0')).toBe(1000);
    expect(heights.of('row-1999')).toBe((19 * 50 + 1000) / 20);
  });

  it('always has a row, and never ends after the last one', () => {
    const heights = createRowHeights(100);
    expect(findRange(ids(3), heights, -500, 10)).toEqual({ start: 0, end: 1 });
    expect(findRange(ids(3), heights, 9000, 9500)).toEqual({ start: 2, end: 3 });
    expect(findRange([], heights, 0, 500)).toEqual({ start: 0, end: 0 });
  });

  it('contains every row or its height, in order, and the focused row', () => {
    fc.assert(
      fc.property(
        fc.nat(60).chain((count) => fc.record({ count: fc.constant(count), a: fc.nat(count), b: fc.nat(count) })),
        fc.option(fc.nat(80)),
        ({ count, a, b }, focused) => {
          const all = ids(count);
          const pinned = focused !== null && focused < count ? focused : null;
          const range = { start: Math.min(a, b), end: Math.max(a, b) };
          const entries = layOut(all, createRowHeights(10), range, pinned);
          const shown = entries.flatMap((entry) => ('id' in entry ? [entry.id] : []));
          const gaps = entries.reduce((sum, entry) => sum + ('gap' in entry ? entry.gap : 0), 0);
          expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length);
          expect(shown).toEqual(
            all.filter((_, index) => (index >= range.start && index < range.end) || index === pinned),
          );
          expect(gaps + shown.length * 10).toBe(count * 10);
        },
      ),
    );
  });
});
