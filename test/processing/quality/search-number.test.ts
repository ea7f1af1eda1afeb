import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Curve,
  nextNumber,
  numberAt,
  scoreAt,
  searchNumber,
} from '../../../server/processing/worker/quality/search-number.ts';

const CURVE: Curve = [
  [20, 45],
  [50, 65],
  [80, 78],
  [100, 90],
];
const bounds = { least: 1, most: 100 };
const search = { curve: CURVE, bounds, below: 1, above: 1.5, mostProbes: 3, trusted: 0 };

/** Encoders whose score rises with the number, steeper or flatter than the curve, and higher or lower. */
const encoders = fc.record({
  shift: fc.double({ min: -15, max: 12, noNaN: true }),
  bend: fc.double({ min: 0.7, max: 1.4, noNaN: true }),
});
const scoreOf =
  ({ shift, bend }: { shift: number; bend: number }) =>
  (number: number) =>
    70 + (scoreAt(CURVE, number) - 70) * bend + shift;

describe('searchNumber', () => {
  it('finds within two points of what any rising encoder can reach, with at most three probes', async () => {
    await fc.assert(
      fc.asyncProperty(
        encoders,
        fc.integer({ min: 1, max: 100 }),
        fc.constantFrom(46, 61, 71, 77, 83, 88),
        async (encoder, start, aim) => {
          const score = scoreOf(encoder);
          const probed: number[] = [];
          const { number, probes } = await searchNumber({
            ...search,
            aim,
            start,
            probe: async (one) => {
              probed.push(one);
              return score(one);
            },
          });
          expect(probes.map((probe) => probe.number)).toEqual(probed);
          expect(probed.length).toBeLessThanOrEqual(3);
          const possible = Math.min(score(bounds.most), Math.max(score(bounds.least), aim));
          expect(Math.abs(score(number) - possible)).toBeLessThan(2.5);
        },
      ),
    );
  });

  it('ends with one probe if the start is right', async () => {
    const start = Math.round(numberAt(CURVE, 77));
    const { probes } = await searchNumber({ ...search, aim: 77, start, probe: async (one) => scoreAt(CURVE, one) });
    expect(probes).toHaveLength(1);
  });

  it('predicts the score of a number that it did not probe', async () => {
    const probe = async (one: number) => scoreAt(CURVE, one) - 3;
    const found = await searchNumber({ ...search, aim: 77, start: 80, below: 0, above: 0, trusted: 5, probe });
    expect(found.probes).toHaveLength(1);
    expect(found.number).toBeGreaterThan(80);
    expect(found.score).toBeCloseTo(await probe(found.number), 5);
  });

  it('does not probe a number twice, and stays within the bounds', async () => {
    const probed: number[] = [];
    const probe = async (one: number) => {
      probed.push(one);
      return 50;
    };
    expect((await searchNumber({ ...search, aim: 88, start: 120, probe })).number).toBe(100);
    expect(probed).toEqual([100]);
  });
});

describe('nextNumber', () => {
  it('lies between a score that is too low and one that is too high', () => {
    const probes = [
      { number: 40, score: 60 },
      { number: 90, score: 85 },
    ];
    expect(nextNumber({ aim: 76, curve: CURVE, bounds }, probes)).toBeGreaterThan(40);
    expect(nextNumber({ aim: 76, curve: CURVE, bounds }, probes)).toBeLessThan(90);
  });
});

describe('the curve', () => {
  it('gives the number back for each score, also beyond its ends', () => {
    for (const number of [1, 20, 33, 80, 99, 100]) expect(numberAt(CURVE, scoreAt(CURVE, number))).toBeCloseTo(number);
  });
});
