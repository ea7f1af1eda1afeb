import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Catalog } from '../../../server/db/embedded/catalog.ts';
import { createCommitQueue } from '../../../server/db/embedded/engine.ts';
import { startEmbedded } from '../../../server/db/embedded/index.ts';
import { openStore, RESERVE_BYTES, type Store } from '../../../server/db/embedded/store.ts';
import { freshDirectory } from './embedded-fixture.ts';

describe('the end of the database', () => {
  it('is told when nobody asked for it, and only then', async () => {
    const workers: Worker[] = [];
    const remember = (worker: Worker) => void workers.push(worker);
    process.on('worker', remember);
    onTestFinished(() => void process.off('worker', remember));
    const onEnd = vi.fn();
    const directory = freshDirectory();
    const first = await startEmbedded({ directory, onEnd });
    const guest = await startEmbedded({ directory, onEnd });
    expect(guest.owner).toBe(false);
    await first.close();
    expect(onEnd).not.toHaveBeenCalled();

    const warn = vi.fn();
    const second = await startEmbedded({ directory, onEnd, logger: { warn } });
    await workers.at(-1)?.terminate();
    await expect.poll(() => onEnd.mock.calls.length).toBe(1);
    expect(onEnd.mock.calls[0]?.[0]).toBeInstanceOf(Error);
    expect(warn).toHaveBeenCalledOnce();
    await second.close();
    expect(onEnd).toHaveBeenCalledOnce();
  });
});

describe('a disk that has no room for a commit', () => {
  it('is never given one: the commit is refused, what was there stays, and writing goes on when there is room', async () => {
    let free = 10_000_000;
    const store = openStore(freshDirectory(), () => free);
    onTestFinished(() => store.close());
    const [first, second] = [Buffer.from([9, 1]), Buffer.from([9, 2])];
    const write = (key: Buffer, bytes: number) => store.transaction(() => store.put(key, Buffer.alloc(bytes, 1)));
    write(first, 100);

    free = 300_000;
    expect(() => write(second, 100_000)).toThrow(/^No space left on device: 300000 bytes are free, a write may need/);
    expect([store.get(first)?.length, store.get(second)]).toEqual([100, undefined]);
    write(first, 200);
    free = 100_000;
    expect(() => store.transaction(() => store.remove(first))).toThrow('No space left');
    // Commands that write nothing need no room.
    expect(store.transaction(() => store.get(first)?.length)).toBe(200);

    free = 10_000_000;
    write(second, 100_000);
    expect(store.get(second)?.length).toBe(100_000);
  });
});

describe('a full disk', () => {
  it('lets go what is removed, and takes nothing new until there is room for both', () => {
    const directory = freshDirectory();
    const file = join(directory, 'reserve');
    let rest = 10_000_000;
    const store = openStore(directory, () => rest + (existsSync(file) ? 0 : RESERVE_BYTES));
    onTestFinished(() => store.close());
    const keys = Array.from({ length: 5 }, (_, index) => Buffer.from([9, index]));
    const put = (key: Buffer) => store.transaction(() => store.put(key, Buffer.alloc(1000, 1)));
    for (const key of keys) put(key);
    expect(statSync(file).size).toBe(RESERVE_BYTES);

    rest = 0;
    const [first = Buffer.alloc(0), second = first] = keys;
    for (const key of [first, second]) store.transaction(() => store.remove(key), true);
    expect([store.get(first), store.get(second)]).toEqual([undefined, undefined]);
    expect(existsSync(file)).toBe(false);
    // The space of the reserve is for removals alone.
    expect(() => put(first)).toThrow(/^No space left on device/);
    store.transaction(() => store.remove(keys[2] ?? first), true);

    rest = 10_000_000;
    put(first);
    expect(statSync(file).size).toBe(RESERVE_BYTES);
  });
});

describe('a disk that has no room for a new store', () => {
  it('is not touched', () => {
    const directory = freshDirectory();
    let refused: unknown;
    try {
      openStore(directory, () => 0);
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({ code: 'ENOSPC', path: directory });
    expect(readdirSync(directory)).toEqual([]);
  });

  it('serves the one that is there', async () => {
    const directory = freshDirectory();
    const key = Buffer.from([9, 1]);
    const store = openStore(directory);
    store.transaction(() => store.put(key, Buffer.alloc(100, 1)));
    await store.close();
    const again = openStore(directory, () => 0);
    onTestFinished(() => again.close());
    expect(again.get(key)?.length).toBe(100);
  });
});

describe('a catalog that cannot be read again after a failed commit', () => {
  it('fails the commands that need it, and no more once it can be read', async () => {
    const real = openStore(freshDirectory());
    onTestFinished(() => real.close());
    let broken = false;
    const store: Store = {
      ...real,
      scan(...args) {
        if (broken) throw new Error('the disk is gone');
        return real.scan(...args);
      },
    };
    const catalog = new Catalog(store);
    const commits = createCommitQueue(store, catalog);
    await commits.write(() => catalog.create('test.docs'));

    broken = true;
    const failing = commits.write(() => {
      catalog.create('test.half');
      throw new Error('the disk is full');
    });
    await expect(failing).rejects.toThrow('full');
    expect(() => catalog.find('test.docs')).toThrow('gone');
    await expect(commits.write(() => catalog.find('test.docs'))).rejects.toThrow('gone');

    broken = false;
    expect(await commits.write(() => catalog.find('test.docs')?.ns)).toBe('test.docs');
    expect(catalog.find('test.half')).toBeUndefined();
  });
});
