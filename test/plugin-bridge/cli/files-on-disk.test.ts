import { lstat, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hashBytes, hashFile, writeAtomically } from '../../../plugin-bridge/cli/files-on-disk.ts';

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

it('a name may be as long as the file system allows', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-names-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // 255 bytes.
  const name = `${'名'.repeat(83)}a.webp`;
  await writeAtomically(join(folder, name), 'image');
  expect(await readdir(folder)).toEqual([name]);
});

it('a file of any length has the hash of its bytes, and a folder or nothing has none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-hashes-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'file');
  for (const length of [0, 1, 256 * 1024, 256 * 1024 + 1, 700_001]) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 255);
    await writeFile(path, bytes);
    expect({ length, hash: await hashFile(path) }).toEqual({ length, hash: hashBytes(bytes) });
  }
  for (const none of [folder, join(folder, 'missing'), join(path, 'below')])
    expect(await hashFile(none)).toBeUndefined();
});
