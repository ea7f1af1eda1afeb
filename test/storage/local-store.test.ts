import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLocalStore, type FileStore } from '../../server/storage/index.ts';

let directory: string;
let store: FileStore;
/** Time of the monotonic clock, in milliseconds. */
let elapsedMs: number;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-store-'));
  elapsedMs = 0;
  store = createLocalStore({ directory, monotonicNow: () => elapsedMs });
  await store.prepare();
});
afterEach(() => rm(directory, { recursive: true }));

async function write(key: string, ageMs = 0): Promise<void> {
  const path = join(directory, key);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, key);
  const at = new Date(Date.now() - ageMs);
  await utimes(path, at, at);
}

async function keysBelow(key: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const file of store.list(key)) keys.push(file.key);
  return keys.sort();
}

it('lists the files below a key at any depth, while they are removed one by one', async () => {
  const keys = Array.from({ length: 200 }, (_, index) => `variants/${index % 7}/x${index}.webp`).sort();
  for (const key of keys) await write(key);
  await write('sessions/s/a.png');
  await symlink(join(directory, 'sessions'), join(directory, 'variants', 'elsewhere'));
  expect(await keysBelow('variants')).toEqual(keys);
  expect(await keysBelow('variants/none')).toEqual([]);
  const seen: string[] = [];
  for await (const { key, size } of store.list('variants')) {
    expect(size).toBe(key.length);
    seen.push(key);
    await store.remove(key);
  }
  expect(seen.sort()).toEqual(keys);
  expect(await keysBelow('variants')).toEqual([]);
});

it('sweeps what was being received and parts beside their targets, but nothing young and nothing else', async () => {
  const sweep = () => store.sweepTemporaryFiles({ minAgeMs: 1000 });
  await write('incoming/a.part', 5000);
  await write('incoming/b.link', 5000);
  await write('incoming/growing.part', 5000);
  await write('sessions/s/exports/c.webp.part', 5000);
  await write('sessions/s/exports/c.webp', 5000);
  // Whatever their times say: what was not watched for long enough may be somebody's who writes at this moment.
  expect(await sweep()).toBe(0);
  elapsedMs += 1000;
  await write('incoming/growing.part');
  await write('incoming/young.part');
  expect(await sweep()).toBe(3);
  expect(await keysBelow('incoming')).toEqual(['incoming/growing.part', 'incoming/young.part']);
  expect(await keysBelow('sessions')).toEqual(['sessions/s/exports/c.webp']);
  elapsedMs += 999;
  expect(await sweep()).toBe(0);
  elapsedMs += 1;
  expect(await sweep()).toBe(2);
});

it('sweeps all that is there when nobody can be writing it', async () => {
  await write('incoming/young.part');
  await write('incoming/from-a-time-to-come.part', -5000);
  expect(await store.sweepTemporaryFiles({ minAgeMs: 0 })).toBe(2);
});
