import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { walkedFiles } from '../../server/docs/walk-page.ts';
import { measureWalk } from '../bench/support/measure-walk.ts';

/** What looks for interrupted jobs may run during an export or not. */
const PERIODIC = ['server/jobs/recovery.ts'];

it('the page about an export lists the files that an export runs', async () => {
  const page = await readFile(new URL('../../docs/walk.md', import.meta.url), 'utf8');
  const { files } = await measureWalk();
  const certain = (list: string[]) => list.filter((file) => !PERIODIC.includes(file)).sort();
  expect(certain(walkedFiles(page))).toEqual(certain(files));
});
