import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cells, crossingsPage, KINDS, SETTINGS, testOf, WAYS } from './table.ts';

describe('the table of crossings', () => {
  it('stands in the documentation as the tests read it', () => {
    const url = new URL('../../docs/crossings.md', import.meta.url);
    expect(readFileSync(url, 'utf8')).toBe(crossingsPage());
  });

  it('has each pair of a kind, a way and a setting', () => {
    const pairs = new Set(
      cells().flatMap(({ kind, way, setting }) => [`${kind} ${way}`, `${kind} ${setting}`, `${way} ${setting}`]),
    );
    expect(pairs.size).toBe(3 * 64);
    expect([KINDS, WAYS, SETTINGS].map((record) => Object.keys(record).length)).toEqual([8, 8, 8]);
  });

  it('has a test for each way', () => {
    const missing = Object.keys(WAYS).filter(
      (way) => !existsSync(new URL(`../../${testOf(way as never)}`, import.meta.url)),
    );
    expect(missing).toEqual([]);
  });
});
