import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { lockRecord } from '../../../plugin-bridge/cli/record-lock.ts';

/** A record that is not written yet, in a folder of its own. */
async function newRecord() {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-lock-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const waits: string[] = [];
  const record = join(folder, 'state/out.json');
  const stopping = new AbortController();
  const take = () => lockRecord(record, { signal: stopping.signal, onWait: (who) => waits.push(who) });
  return { folder, record, waits, stopping, take, lock: `${record}.lock` };
}

/** Leaves the lock of a process that was killed. */
async function leaveLock({ take, lock }: Awaited<ReturnType<typeof newRecord>>) {
  const first = await take();
  const holder = JSON.parse(await readFile(lock, 'utf8'));
  await first.release();
  await writeFile(lock, JSON.stringify({ ...holder, pid: spawnSync(process.execPath, ['-v']).pid, token: 'dead' }));
}

it('a second run waits for the end of the first one, and says so once', async () => {
  const { folder, take, waits } = await newRecord();
  const first = await take();
  const order: string[] = [];
  const second = take().then((lock) => {
    order.push('taken');
    return lock;
  });
  await expect.poll(() => waits).toEqual([`process ${process.pid}`]);
  await sleep(600);
  order.push('released');
  await first.release();
  await (await second).release();
  expect([order, waits.length]).toEqual([['released', 'taken'], 1]);
  expect(await readdir(join(folder, 'state'))).toEqual([]);
});

it('the lock of a killed run is taken over at once, by one of many', async () => {
  const place = await newRecord();
  await leaveLock(place);
  let holders = 0;
  const most: number[] = [];
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      const lock = await place.take();
      most.push(++holders);
      await sleep(20);
      await lock.requireHeld();
      holders -= 1;
      await lock.release();
    }),
  );
  expect(most).toEqual([1, 1, 1, 1, 1, 1]);
  expect(await readdir(join(place.folder, 'state'))).toEqual([]);
}, 20_000);

it('waiting ends with Ctrl-C, and leaves the lock to its run', async () => {
  const { take, waits, stopping, lock } = await newRecord();
  const first = await take();
  const before = await readFile(lock, 'utf8');
  const second = take();
  await expect.poll(() => waits).toHaveLength(1);
  stopping.abort();
  await expect(second).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  expect(await readFile(lock, 'utf8')).toBe(before);
  await first.release();
});

it('a run whose lock another one took neither saves nor releases', async () => {
  const { take, lock } = await newRecord();
  const first = await take();
  await writeFile(lock, 'of another run');
  await expect(first.requireHeld()).rejects.toThrow(/Run the same command again/);
  await first.release();
  expect(await readFile(lock, 'utf8')).toBe('of another run');
});
