import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LimitFunction } from 'p-limit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CachedVariantRecord, ImageRecord, OutputFile, OutputRepository } from '../../server/db/index.ts';
import { exportImage, type ImageTask } from '../../server/exports/export-image.ts';
import { createLocalStore, type FileStore, variantCacheKey } from '../../server/storage/index.ts';
import { turnOf } from '../support/turn.ts';

const HASHES = ['a'.repeat(64), 'b'.repeat(64)];

let directory: string;
let store: FileStore;
let published: OutputFile[];
let ownerQueues: Map<string, LimitFunction>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-replace-'));
  store = createLocalStore({ directory });
  published = [];
  ownerQueues = new Map();
  await store.prepare();
  for (const hash of HASHES) await writeFile(await store.prepareFolder(variantCacheKey(hash, 'webp')), hash);
});
afterEach(() => rm(directory, { recursive: true }));

/** Exports the one image with the content of this hash; `onPublish` is called when its record is written. */
function exportContent(hash: string, delays: number[], onPublish = async () => {}) {
  const image = { _id: 'img_1', size: 100, format: 'png', width: 1, height: 1, warnings: [] } as unknown as ImageRecord;
  const settings = { format: 'webp', preset: 'high' };
  const task = {
    job: { kind: 'export', sessionId: 'sess_1', accountId: 'acct_1' },
    image,
    asked: { imageId: 'img_1' },
    settings,
    variants: [{ name: 'full' }],
    skippedSizes: [],
    owner: 'sess_1:img_1:x',
    names: { filenames: ['a.webp'], keys: ['a.webp'] },
  } as unknown as ImageTask;
  const path = variantCacheKey(hash, 'webp');
  const record = { _id: hash, path, format: 'webp', warnings: [], quality: 80, size: 64 };
  const slowly = <T>(work: () => Promise<T>) => sleep(delays.shift() ?? 0).then(work);
  return exportImage(
    task,
    { signal: new AbortController().signal, onStep: () => {}, turn: turnOf() },
    {
      ownerQueues,
      countSample: async () => {},
      cache: {
        obtain: async () => ({ records: [record as unknown as CachedVariantRecord], fromCache: true }),
      } as never,
      outputs: {
        publish: ({ files }) =>
          slowly(async () => {
            const before = published;
            published = files;
            await onPublish();
            return { files: before };
          }),
        heldByOthers: async () => new Set<string>(),
      } as Partial<OutputRepository> as OutputRepository,
      sessions: { addBytes: async () => {} },
      store: { ...store, remove: (key) => slowly(() => store.remove(key)) },
      now: () => new Date(),
    },
  );
}

const missing = async () => {
  const found = await Promise.all(published.map(async ({ path }) => ((await store.stat(path)) ? [] : [path])));
  return found.flat();
};

it('exports of one image that replace each other never leave a record without its file', async () => {
  let seed = 3;
  const delay = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 8;
  };
  const delays = () => [delay(), delay()];
  for (let round = 0; round < 20; round += 1) {
    await Promise.all([0, 1, 0, 1, 0].map((which) => exportContent(HASHES[which] ?? '', delays())));
    expect([published.length, await missing()]).toEqual([1, []]);
  }
});

it('a file that another server removed while it was published is put in place again', async () => {
  const result = await exportContent(HASHES[0] ?? '', [], async () => {
    for (const { path } of published) await store.remove(path);
  });
  expect(result.status).toBe('completed');
  expect([published.length, await missing()]).toEqual([1, []]);
});

it('the queue of an owner exists only while the owner has work, even after a failure', async () => {
  const failing = exportContent(HASHES[0] ?? '', [2], async () => {
    throw new Error('the database is gone');
  });
  const following = exportContent(HASHES[1] ?? '', [2, 2]);
  const sizes: number[] = [];
  const watch = setInterval(() => sizes.push(ownerQueues.size), 1);
  await expect(failing).rejects.toThrow('the database is gone');
  expect((await following).status).toBe('completed');
  clearInterval(watch);
  expect(Math.max(...sizes)).toBe(1);
  expect(ownerQueues.size).toBe(0);
});
