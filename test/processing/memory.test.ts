import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { defaultWorkers, defaultWorkMemoryMb, memoryLimit } from '../../server/processing/memory.ts';
import { countMemoryKills } from '../../server/processing/worker-queue.ts';

const GIGABYTE = 1_000_000_000;
const machine = memoryLimit(undefined, 8 * GIGABYTE);
const container = (mb: number) => memoryLimit(mb * 1_000_000, 8 * GIGABYTE);

it('a limit is that of the control group only if it is below the memory of the machine', () => {
  expect(container(512)).toEqual({ mb: 512, constrained: true });
  // Without a limit, Node returns 0, undefined or more than the machine has, by its version and the kernel's.
  for (const unlimited of [0, undefined, 8 * GIGABYTE, 2 ** 63, 18_446_744_073_709_552_000]) {
    expect(memoryLimit(unlimited, 8 * GIGABYTE)).toEqual({ mb: 8000, constrained: false });
  }
});

it('encodes get what a container has beside the service, or half of a machine', () => {
  expect(defaultWorkMemoryMb(2, container(2000))).toBe(1800 - 300 - 300);
  expect(defaultWorkMemoryMb(2, machine)).toBe(4000 - 300 - 300);
  expect(defaultWorkMemoryMb(1, container(256))).toBe(64);
});

it('one process encodes on each core, fewer if memory is small', () => {
  expect(defaultWorkers(4, machine)).toBe(4);
  expect(defaultWorkers(4, container(2000))).toBe(4);
  expect(defaultWorkers(4, container(1200))).toBe(2);
  for (const mb of [64, 512, 1000]) expect(defaultWorkers(4, container(mb))).toBe(1);
});

it('kills for lack of memory are counted in files of both versions of control groups', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'memory-kills-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [second, first] = [join(folder, 'memory.events'), join(folder, 'memory.oom_control')];
  await writeFile(second, 'low 0\nhigh 0\nmax 7\noom 5\noom_kill 2\noom_group_kill 9\n');
  await writeFile(first, 'oom_kill_disable 0\nunder_oom 0\noom_kill 3\n');
  expect(countMemoryKills([second, first, join(folder, 'absent')])).toBe(5);
  expect(countMemoryKills([])).toBe(0);
});
