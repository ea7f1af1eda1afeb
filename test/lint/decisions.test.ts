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
