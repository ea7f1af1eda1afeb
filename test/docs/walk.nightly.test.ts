import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { walkedFiles } from '../../server/docs/walk-page.ts';
import { measureWalk } from '../bench/support/measure-walk.ts';

/** Most files of the service that one export may run. */
const MOST_FILES = 60;

it('the page about an export lists the files that an export runs', async () => {
  const page = await readFile(new URL('../../docs/walk.md', import.meta.url), 'utf8');
  const { files } = await measureWalk();
  expect(walkedFiles(page).sort()).toEqual([...files].sort());
  expect(files.length).toBeLessThanOrEqual(MOST_FILES);
});
