import { describe, expect, it } from 'vitest';
import { sessionIdSchema } from '#contract';
import { newId } from '../server/ids.ts';

describe('newId', () => {
  it('creates ids of the form of the contract', () => {
    expect(sessionIdSchema.safeParse(newId('sess')).success).toBe(true);
    expect(newId('img')).toMatch(/^img_[0-9A-Za-z]{22}$/);
  });

  it('creates 50,000 different ids', () => {
    const ids = Array.from({ length: 50_000 }, () => newId('job'));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('uses all 62 characters evenly at every position', () => {
    const rounds = 20_000;
    const counts = new Map<string, number>();
    const firsts = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      const random = newId('req').slice(4);
      firsts.add(random[0] ?? '');
      for (const character of random) counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    const expected = (rounds * 22) / 62;
    expect(counts.size).toBe(62);
    expect(firsts.size).toBe(62);
    // Six standard deviations: a fair draw fails about once in ten million runs.
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected));
  });
});
