import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const FOLDER = 'docs/adr';

it('decisions are numbered without gaps, and the index lists each with its title', async () => {
  const names = (await readdir(FOLDER)).filter((name) => /^\d/.test(name)).sort();
  const index = await readFile(`${FOLDER}/README.md`, 'utf8');
  for (const [at, name] of names.entries()) {
    const [first = ''] = (await readFile(`${FOLDER}/${name}`, 'utf8')).split('\n');
    expect(name.slice(0, 4)).toBe(String(at + 1).padStart(4, '0'));
    expect(first).toMatch(new RegExp(`^# ${at + 1}\\. `));
    expect(index).toContain(`* [${first.slice(2)}](${name})`);
  }
  expect(index.match(/^\* /gm)).toHaveLength(names.length);
});

it('a link to a decision has its number', async () => {
  const pages = (await readdir('docs', { recursive: true })).filter((name) => name.endsWith('.md'));
  const links = await Promise.all(
    pages.map(async (page) => [
      ...(await readFile(`docs/${page}`, 'utf8')).matchAll(/\[(?:ADR |decision )?(\d+)\]\([^)]*?(\d{4})-/g),
    ]),
  );
  const named = links.flat().map(([, number, file]) => `${Number(number)} ${Number(file)}`);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((link) => new Set(link.split(' ')).size > 1)).toEqual([]);
});
