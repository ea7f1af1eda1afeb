import { describe, expect, it } from 'vitest';
import { createVariantQueue } from '../../server/processing/worker/variant-queue.ts';

const source = { width: 4000, height: 3000 };
const full = { name: 'full' };
const widths = [320, 480, 1024, 1920].map((width) => ({ name: `${width}w`, width }));

const namesOf = (variants: { name: string }[]) => variants.map(({ name }) => name);

describe('a queue of variants', () => {
  it('returns them in order', () => {
    const queue = createVariantQueue(source, [full, ...widths]);
    const taken: string[] = [];
    for (let next = queue.next(); next; next = queue.next()) taken.push(next.name);
    expect(taken).toEqual(['full', '320w', '480w', '1024w', '1920w']);
    expect(queue.yield()).toEqual([]);
  });

  it('yields the widths while the file is decoded or the full size is encoded', () => {
    const loading = createVariantQueue(source, [full, ...widths]);
    expect(namesOf(loading.yield())).toEqual(['320w', '480w', '1024w', '1920w']);
    expect(loading.next()).toBe(full);
    expect(loading.next()).toBeUndefined();
    const encoding = createVariantQueue(source, [full, ...widths]);
    encoding.next();
    // By the time the others are done, the full size is too.
    expect(namesOf(encoding.yield())).toEqual(['480w', '1024w', '1920w']);
    expect(encoding.next()?.name).toBe('320w');
  });

  it('yields so many that both end at the same time', () => {
    const queue = createVariantQueue({ width: 2000, height: 1500 }, widths);
    expect(namesOf(queue.yield())).toEqual(['480w', '1024w']);
    expect([queue.next()?.name, queue.next()?.name, queue.next()]).toEqual(['320w', '1920w', undefined]);
  });

  it('yields more during the full size if that takes longer per pixel', () => {
    const square = { width: 2000, height: 2000 };
    const yielded = (fullSizeCost?: number) => {
      const queue = createVariantQueue(square, [full, ...widths], fullSizeCost);
      expect(queue.next()).toBe(full);
      return namesOf(queue.yield());
    };
    expect(yielded()).toEqual(['1920w']);
    expect(yielded(2)).toEqual(['320w', '480w', '1920w']);
  });

  it('keeps variants that are finished before another process has decoded the file', () => {
    const queue = createVariantQueue(source, widths);
    for (const _ of [1, 2, 3]) queue.next();
    expect(queue.yield()).toEqual([]);
    expect(queue.next()?.name).toBe('1920w');
    expect(createVariantQueue(source, [full]).yield()).toEqual([]);
  });
});
