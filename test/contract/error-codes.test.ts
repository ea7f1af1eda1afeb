import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CATALOGUE } from '#contract';
import { readServerSources } from './source-files.ts';

const catalogue = new Set(Object.keys(ERROR_CATALOGUE));
const sources = readServerSources().filter(({ path }) => !path.startsWith('contract/'));

describe('the error catalogue', () => {
  it('contains every code that the service throws', () => {
    const thrown = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/new AppError\(\s*'(\w+)'/g)].map(([, code]) => ({ path, code: code ?? '' })),
    );
    expect(thrown.length).toBeGreaterThan(10);
    expect(thrown.filter(({ code }) => !catalogue.has(code))).toEqual([]);
  });

  it('contains no unused code', () => {
    const all = sources.map(({ text }) => text).join('\n');
    expect([...catalogue].filter((code) => !all.includes(`'${code}'`))).toEqual([]);
  });

  it('is documented completely', () => {
    const rows = readFileSync('docs/errors.md', 'utf8').matchAll(/^\| (\d+) \| `(\w+)` \| (.*?) \|/gm);
    const documented = new Map(
      [...rows].map(([, status, code, meaning]) => [code, { status: Number(status), meaning }]),
    );
    expect(Object.fromEntries(documented)).toEqual(ERROR_CATALOGUE);
  });
});
