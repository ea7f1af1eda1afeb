import { lstat, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writeAtomically } from '../../../plugin-bridge/cli/files-on-disk.ts';

it('a file is written beside symbolic links, never through them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-links-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const victim = join(folder, 'victim');
  await writeFile(victim, 'untouched');
  const target = join(folder, 'a.webp');
  await symlink(victim, target);
  // The name that the program used for its temporary file.
  await symlink(victim, join(folder, '.a.webp.part'));

  await writeAtomically(target, 'image');
  expect(await readFile(victim, 'utf8')).toBe('untouched');
  expect((await lstat(target)).isFile()).toBe(true);
  expect(await readFile(target, 'utf8')).toBe('image');
  expect((await readdir(folder)).sort()).toEqual(['.a.webp.part', 'a.webp', 'victim']);
});
