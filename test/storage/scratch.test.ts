import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createScratch, type Scratch } from '../../server/storage/index.ts';

let directory: string;
let scratch: Scratch;
/** Time of the monotonic clock, in milliseconds. */
let elapsedMs: number;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-scratch-'));
  elapsedMs = 0;
  scratch = createScratch({ directory, monotonicNow: () => elapsedMs });
});
afterEach(() => rm(directory, { recursive: true }));

async function write(name: string, ageMs = 0): Promise<void> {
  const path = join(directory, name);
  await writeFile(path, name);
  const at = new Date(Date.now() - ageMs);
  await utimes(path, at, at);
}

it('sweeps what was left, but nothing young', async () => {
  const sweep = () => scratch.sweep({ minAgeMs: 1000 });
  await write('a.part', 5000);
  await write('growing.part', 5000);
  // Independent of their times: another process may be writing a file that was not watched for long enough.
  expect(await sweep()).toBe(0);
  elapsedMs += 1000;
  await write('growing.part');
  await write('young.part');
  expect(await sweep()).toBe(1);
  expect((await readdir(directory)).sort()).toEqual(['growing.part', 'young.part']);
  elapsedMs += 999;
  expect(await sweep()).toBe(0);
  elapsedMs += 1;
  expect(await sweep()).toBe(2);
});

it('sweeps all that is there when nobody can be writing it', async () => {
  await write('young.part');
  await write('from-a-time-to-come.part', -5000);
  expect(await scratch.sweep({ minAgeMs: 0 })).toBe(2);
});
