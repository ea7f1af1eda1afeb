import { describe, expect, it } from 'vitest';
import { type Settings, settingsSchema } from '#contract';
import { planVariants } from '../../server/processing/index.ts';

const settings = (value: Record<string, unknown>): Settings => settingsSchema.parse(value);
const names = (facts: { width: number; height: number }, value: Record<string, unknown>) =>
  planVariants(facts, settings(value)).variants.map(({ name }) => name);

describe('planVariants', () => {
  it('lists only full unless responsive is true', () => {
    expect(planVariants({ width: 4000, height: 3000 }, settings({ responsiveSizes: [480] }))).toEqual({
      variants: [{ name: 'full' }],
      skippedSizes: [],
    });
  });

  it('uses the default widths, full first, and skips those above the source', () => {
    const plan = planVariants({ width: 1200, height: 640 }, settings({ responsive: true }));
    expect(plan.variants.map(({ name }) => name)).toEqual(['full', '480w', '768w', '1024w']);
    expect(plan.skippedSizes).toEqual([1440, 1920]);
  });

  it('includes a width equal to the source', () => {
    expect(names({ width: 480, height: 100 }, { responsive: true })).toEqual(['full', '480w']);
  });

  it('merges equal widths, the first entry wins, and sorts', () => {
    const plan = planVariants(
      { width: 2000, height: 2000 },
      settings({ responsive: true, responsiveSizes: [800, { width: 400, height: 300, fit: 'cover' }, 400, 800] }),
    );
    expect(plan.variants).toEqual([
      { name: 'full' },
      { name: '400w', width: 400, height: 300, fit: 'cover' },
      { name: '800w', width: 800, fit: 'inside' },
    ]);
  });

  it('skips a cover higher than the source, but not an inside', () => {
    const size = { width: 400, height: 900 };
    const facts = { width: 1000, height: 500 };
    expect(planVariants(facts, settings({ responsive: true, responsiveSizes: [{ ...size, fit: 'cover' }] }))).toEqual({
      variants: [{ name: 'full' }],
      skippedSizes: [400],
    });
    expect(names(facts, { responsive: true, responsiveSizes: [size] })).toEqual(['full', '400w']);
  });

  it('lists only full for a 1x1 image', () => {
    expect(names({ width: 1, height: 1 }, { responsive: true })).toEqual(['full']);
  });

  it('uses the default widths for an empty list', () => {
    expect(names({ width: 500, height: 500 }, { responsive: true, responsiveSizes: [] })).toEqual(['full', '480w']);
  });
});
