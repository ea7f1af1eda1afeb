import { setTimeout as sleep } from 'node:timers/promises';
import type { LimitFunction } from 'p-limit';
import { beforeEach, expect, it } from 'vitest';
import type {
  CachedVariantRecord,
  ImageRecord,
  OutputFile,
  OutputRecord,
  OutputRepository,
} from '../../server/db/index.ts';
import { collectFiles } from '../../server/exports/evict-variants.ts';
import { exportImage, type ImageTask } from '../../server/exports/export-image.ts';
import { newVariantKey } from '../../server/storage/index.ts';
import { turnOf } from '../support/turn.ts';

const HASHES = ['a'.repeat(64), 'b'.repeat(64)];

/** Files that exist, by key. */
let files: Set<string>;
let cached: Map<string, CachedVariantRecord>;
let published: OutputFile[];
let ownerQueues: Map<string, LimitFunction>;

beforeEach(() => {
  files = new Set();
  cached = new Map();
  published = [];
  ownerQueues = new Map();
});

function encode(hash: string): CachedVariantRecord {
  const path = newVariantKey(hash, 'webp');
  const record = { _id: hash, path, format: 'webp', warnings: [], quality: 80, size: 64 };
  files.add(path);
  cached.set(hash, record as unknown as CachedVariantRecord);
  return record as unknown as CachedVariantRecord;
}

/** Removes a variant as the cache does, with waits in between. */
async function evict(hash: string, delays: number[]): Promise<void> {
  const record = cached.get(hash);
  cached.delete(hash);
  await sleep(delays.shift() ?? 0);
  if (record) await collect([record.path], delays);
}

async function collect(keys: string[], delays: number[]): Promise<void> {
  await collectFiles(
    {
      cachedVariants: { findMany: async () => [...cached.values()] },
      outputs: {
        async holds(_content: string, path: string) {
          const held = published.some((file) => file.path === path);
          await sleep(delays.shift() ?? 0);
          return held;
        },
      },
      store: { removeMany: async (gone: string[]) => void gone.map((key) => files.delete(key)) },
    } as never,
    keys,
  );
}

/** Exports the one image with the content of this hash; `onPublish` is called when its record is written. */
function exportContent(hash: string, delays: number[], onPublish = async () => {}) {
  const image = { _id: 'img_1', size: 100, format: 'png', width: 1, height: 1, warnings: [] } as unknown as ImageRecord;
  const settings = { format: 'webp', preset: 'high' };
  const task = {
    job: { kind: 'export', sessionId: 'sess_1', accountId: 'acct_1' },
    image,
    requested: { imageId: 'img_1' },
    settings,
    files: [{ name: 'full', format: 'webp', extension: 'webp' }],
    skippedSizes: [],
    owner: 'sess_1:img_1:x',
    names: { filenames: ['a.webp'], keys: ['a.webp'] },
  } as unknown as ImageTask;
  const slowly = <T>(work: () => Promise<T>) => sleep(delays.shift() ?? 0).then(work);
  return exportImage(
    task,
    { signal: new AbortController().signal, onStep: () => {}, turn: turnOf() },
    {
      ownerQueues,
      countSample: async () => {},
      countOverrun: async () => {},
      placeholderOf: async () => '',
      keepsFiles: async () => false,
      images: { find: async () => null } as never,
      cache: {
        markCounted: async () => {},
        obtain: async () => ({ records: [cached.get(hash) ?? encode(hash)], fromCache: true }),
        holds: (records: CachedVariantRecord[]) =>
          slowly(async () => records.every(({ _id, path }) => cached.get(_id)?.path === path)),
        collect: (keys: string[]) => collect(keys, delays),
      } as never,
      outputs: {
        publish: ({ files: next }) =>
          slowly(async () => {
            const before = published;
            published = next;
            await onPublish();
            return { before: { files: before, contents: before.map(() => hash) } as OutputRecord, version: 1 };
          }),
        reserve: async () => 1,
        find: async () => null,
        withdraw: async () => true,
        heldByOthers: async () => new Set<string>(),
      } as Partial<OutputRepository> as OutputRepository,
      sessions: { addBytes: async () => {} },
      now: () => new Date(),
    },
  );
}

const missing = () => published.filter(({ path }) => !files.has(path));

it('exports of one image that replace each other, while the cache evicts, never leave a record without its file', async () => {
  let seed = 3;
  const delay = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 8;
  };
  const delays = () => [delay(), delay(), delay(), delay()];
  for (let round = 0; round < 40; round += 1) {
    const exports = [0, 1, 0, 1, 0].map((which) => exportContent(HASHES[which] ?? '', delays()));
    const evictions = HASHES.map(async (hash) => {
      await sleep(delay());
      await evict(hash, delays());
    });
    await Promise.all([...exports, ...evictions]);
    expect([published.length, missing()]).toEqual([1, []]);
  }
});

it('a variant that was evicted before it was published is obtained again', async () => {
  encode(HASHES[0] ?? '');
  let evicted = false;
  const result = await exportContent(HASHES[0] ?? '', [], async () => {
    if (evicted) return;
    evicted = true;
    const [{ path = '' } = {}] = published;
    cached.clear();
    files.delete(path);
  });
  expect(result.status).toBe('completed');
  expect([published.length, missing()]).toEqual([1, []]);
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
