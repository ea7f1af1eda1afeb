import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWriteProbe } from '../../server/storage/index.ts';

let directory: string;
let now: number;
beforeEach(async () => {
  now = 0;
  directory = await mkdtemp(join(tmpdir(), 'imagewright-probe-'));
});
afterEach(() => rm(directory, { recursive: true }));

const probeOf = (path: string) =>
  createWriteProbe({ directories: { 'folder of files': path }, monotonicNow: () => now });

it('a folder that can be written has no fault, and nothing is left in it', async () => {
  expect(await probeOf(directory).check()).toEqual({ fault: null, isFull: false });
  expect(await readdir(directory)).toEqual([]);
});

it('a fault is told in words, and its end within two seconds', async () => {
  const path = join(directory, 'files');
  await writeFile(path, '');
  const probe = probeOf(path);
  expect(await probe.check()).toEqual({ fault: 'the folder of files cannot be written (ENOTDIR)', isFull: false });
  await rm(path);
  await mkdir(path);
  now += 2001;
  expect(await probe.check()).toEqual({ fault: null, isFull: false });
});

it('writes at most every ten seconds, unless a write has failed elsewhere', async () => {
  const probe = probeOf(directory);
  await probe.check();
  await rm(directory, { recursive: true });
  now += 9999;
  expect((await probe.check()).fault).toBeNull();
  probe.suspect();
  expect((await probe.check()).fault).toBe('the folder of files cannot be written (ENOENT)');
  await mkdir(directory);
});
