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

  describe('with limits of the whole image', () => {
    const facts = { width: 4000, height: 3000 };

    it('scales full down to fit, and never up', () => {
      expect(planVariants(facts, settings({ maxWidth: 2000 })).variants).toEqual([{ name: 'full', width: 2000 }]);
      expect(planVariants(facts, settings({ maxWidth: 2000, maxHeight: 900 })).variants).toEqual([
        { name: 'full', width: 2000, height: 900 },
      ]);
      for (const limits of [{ maxWidth: 4000 }, { maxHeight: 65_535 }, { maxWidth: 5000, maxHeight: 3000 }])
        expect(planVariants(facts, settings(limits)).variants).toEqual([{ name: 'full' }]);
    });

    it('skips widths above that of full', () => {
      const plan = planVariants(facts, settings({ responsive: true, maxHeight: 900 }));
      expect(plan.variants.map(({ name }) => name)).toEqual(['full', '480w', '768w', '1024w']);
      expect(plan.skippedSizes).toEqual([1440, 1920]);
    });

    it('measures crops by the limits and the source, not by the shape of full', () => {
      const square = (width: number) => ({ width, height: width, fit: 'cover' });
      const responsiveSizes = [square(800), square(1000), square(1600)];
      const plan = planVariants(
        facts,
        settings({ responsive: true, responsiveSizes, maxWidth: 1200, maxHeight: 1000 }),
      );
      expect(plan.variants.map(({ name }) => name)).toEqual(['full', '800w', '1000w']);
      expect(plan.skippedSizes).toEqual([1600]);
    });
  });

  it('gives the focal point to crops alone', () => {
    const focalPoint = { x: 0.25, y: 1 };
    const responsiveSizes = [100, { width: 200, height: 100 }, { width: 300, height: 100, fit: 'cover' }];
    const { variants } = planVariants(
      { width: 1000, height: 1000 },
      settings({ responsive: true, responsiveSizes, focalPoint }),
    );
    expect(variants.map((variant) => variant.focalPoint)).toEqual([undefined, undefined, undefined, focalPoint]);
  });
});
