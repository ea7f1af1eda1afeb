import { describe, expect, it } from 'vitest';
import { PRESET_TARGETS } from '#contract';
import { type VariantKeyInput, variantKey } from '../../../server/processing/cache-key.ts';
import { qualityOf } from '../../../server/processing/shared/variants.ts';
import { createVariantEncoder } from '../../../server/processing/worker/encode-variant.ts';
import { kneeBetween, kneeOf } from '../../../server/processing/worker/quality/knee.ts';
import { loadSearchTools } from '../../../server/processing/worker/quality/search-tools.ts';
import { stars } from './stars.ts';

async function encode(format: 'webp' | 'avif', insists: boolean) {
  const order = { format, preset: 'maximum', metadata: {}, insists } as const;
  return createVariantEncoder(stars(), order, await loadSearchTools())({ name: 'full' }, () => {});
}

describe('a search whose last points cost too much', () => {
  it.each(['webp', 'avif'] as const)('stops at the knee and tells what the promise costs: %s', async (format) => {
    const [stopped, exact] = [await encode(format, false), await encode(format, true)];
    expect(stopped).toMatchObject({ reached: false, stopped: 'knee' });
    expect(stopped.score).toBeLessThan(PRESET_TARGETS.maximum - 0.5);
    expect(exact.reached).toBe(true);
    expect(exact.stopped).toBeUndefined();
    expect(exact.score).toBeGreaterThanOrEqual(PRESET_TARGETS.maximum - 0.5);
    // A point costs more than 12 %.
    const points = (exact.score ?? 0) - (stopped.score ?? 0);
    expect(exact.data.length).toBeGreaterThan(stopped.data.length * 1.12 ** points);
    expect((stopped.estimatedBytes ?? 0) / exact.data.length).toBeGreaterThan(0.8);
    expect((stopped.estimatedBytes ?? 0) / exact.data.length).toBeLessThan(1.25);
  });
});

describe('kneeBetween', () => {
  const file = (score: number, bytes: number) =>
    ({ data: Buffer.alloc(bytes), quality: 1, score, reached: true }) as const;

  it('is there above 12 % a point, and where the score falls', () => {
    expect(kneeBetween(file(80, 1000), file(82, 1200))).toBeUndefined();
    expect(kneeBetween(file(80, 1000), file(82, 1300))).toBeCloseTo(Math.log(1.3) / 2);
    expect(kneeBetween(file(80, 1000), file(79, 1100))).toBeGreaterThan(0);
  });
});

describe('kneeOf', () => {
  const file = (quality: number, score: number, bytes: number, reached = true) =>
    ({ data: Buffer.alloc(bytes), quality, score, reached }) as const;
  const stopped = (...files: ReturnType<typeof file>[]) => kneeOf(files, 91, 87);

  it('is the file before the last points of a promise cost too much', () => {
    const found = stopped(file(98, 87, 2000), file(92, 84, 1000));
    expect(found).toMatchObject({ quality: 92, reached: false, stopped: 'knee' });
    expect(found?.estimatedBytes).toBeCloseTo(2000, -1);
  });

  it('is the file before them where the format cannot reach the score, without an estimate', () => {
    const found = stopped(file(95, 82.9, 4430), file(100, 84.9, 6355, false));
    expect(found).toMatchObject({ quality: 95, reached: false, stopped: 'format' });
    expect(found).not.toHaveProperty('estimatedBytes');
  });

  it('is not there where the points are worth it, no file misses, or the numbers are low', () => {
    expect(stopped(file(92, 84, 1000), file(98, 87, 1300))).toBeUndefined();
    expect(stopped(file(92, 86.6, 1000), file(98, 87, 2000))).toBeUndefined();
    expect(stopped(file(80, 84, 1000), file(90, 87, 2000))).toBeUndefined();
    expect(stopped(file(92, 84, 1000))).toBeUndefined();
  });
});

describe('a file that stopped', () => {
  const written = { quality: 91, score: 82.4, reached: false };

  it('says why in its result', () => {
    const told = qualityOf({ preset: 'maximum' }, { ...written, stopped: 'knee', estimatedBytes: 8832 });
    expect(told).toMatchObject({ score: 82.4, reached: false, stopped: 'knee', estimatedBytes: 8832 });
    // A record of an earlier version.
    expect(qualityOf({ preset: 'maximum' }, written)).not.toHaveProperty('stopped');
  });

  it('is another file than one that insists', () => {
    const input: VariantKeyInput = {
      scope: 'account',
      sourceSha256: 'hash',
      inputFormat: 'jpeg',
      format: 'webp',
      preset: 'maximum',
      metadata: 'rights',
      variant: { name: 'full' },
      search: true,
    };
    expect(variantKey({ ...input, insists: true })).not.toBe(variantKey(input));
    expect(variantKey({ ...input, insists: false })).toBe(variantKey(input));
  });
});
