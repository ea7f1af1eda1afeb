import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StoreAwayError } from '../../server/errors.ts';
import { storageConfig } from '../../server/storage/config.ts';
import { type Files, identifyStore, openFiles, tryStore } from '../../server/storage/index.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { realStore } from './real-store.ts';
import { type S3Server, startS3Server } from './s3-server.ts';

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
});
afterAll(() => s3.close());

let prefixes = 0;
const KINDS = {
  folder: () => ({}),
  s3() {
    prefixes += 1;
    return s3.env(`prefix-${prefixes}/deep`);
  },
};

describe.each(['folder', 's3'] as const)('a store of files: %s', (kind) => {
  let directory: string;
  let env: Record<string, string>;
  let files: Files;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'imagewright-store-'));
    env = { DATA_DIR: directory, ...KINDS[kind]() };
    files = await open();
  });
  afterEach(() => rm(directory, { recursive: true }));

  async function open(settings = env): Promise<Files> {
    const opened = await openFiles(storageConfig.parse(settings));
    await opened.scratch.prepare();
    await opened.store.prepare();
    return opened;
  }

  async function put(key: string, content: Buffer | string, isSource = false): Promise<void> {
    const bytes = Buffer.from(content);
    const file = files.scratch.newFile();
    await writeFile(file, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await files.store.putFile(key, file, { size: bytes.length, sha256, contentType: 'image/webp', isSource });
  }

  const read = async (key: string, span?: { first: number; last: number }) => {
    const opened = await files.store.open(key, span);
    return opened && { bytes: await buffer(opened.stream), size: opened.size };
  };

  const keysBelow = async (folder: string) => {
    const keys: string[] = [];
    for await (const { key } of files.store.list(folder)) keys.push(key);
    return keys.sort();
  };

  it('keeps a file under its key, whole and in parts, and uses the given one up', async () => {
    const content = randomBytes(300_000);
    await put('sessions/s/a.jpg', content);
    expect(await read('sessions/s/a.jpg')).toEqual({ bytes: content, size: 300_000 });
    expect(await read('sessions/s/a.jpg', { first: 10, last: 19 })).toEqual({
      bytes: content.subarray(10, 20),
      size: 300_000,
    });
    expect(await files.store.head('sessions/s/a.jpg')).toEqual({ size: 300_000 });
    expect(await readdir(join(directory, 'files', 'incoming'))).toEqual([]);
    await put('sessions/s/a.jpg', 'another');
    expect((await read('sessions/s/a.jpg'))?.bytes.toString()).toBe('another');
  });

  it('has nothing under other keys', async () => {
    expect(await files.store.head('sessions/s/none.jpg')).toBeNull();
    expect(await files.store.open('sessions/s/none.jpg')).toBeNull();
    await files.store.removeMany(['sessions/s/none.jpg']);
    await files.store.removeBelow('sessions/none');
    expect(await keysBelow('sessions/none')).toEqual([]);
  });

  it('lists what is below a folder at any depth, with size and time, and removes it', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `variants/${index % 3}/x${index}.webp`).sort();
    for (const key of keys) await put(key, key);
    await put('sessions/s/a.png', 'a');
    await put('sessions/other/a.png', 'a');
    expect(await keysBelow('variants')).toEqual(keys);
    expect(await files.store.listFolders('variants')).toEqual(['0', '1', '2']);
    for await (const { key, size, modifiedAt } of files.store.list('variants/0')) {
      expect(size).toBe(key.length);
      expect(Math.abs(Date.now() - modifiedAt.getTime())).toBeLessThan(60_000);
      await files.store.removeMany([key]);
    }
    expect(await files.store.listFolders('variants')).toEqual(expect.arrayContaining(['1', '2']));
    expect(await keysBelow('variants/0')).toEqual([]);
    await files.store.removeBelow('sessions/s');
    expect(await keysBelow('sessions')).toEqual(['sessions/other/a.png']);
  });

  it('gives workers a local path, also many at once, and tells a missing file as the disk does', async () => {
    const content = randomBytes(5000);
    await put('sessions/s/source.jpg', content, true);
    await put('sessions/s/cold.jpg', content);
    for (const key of ['sessions/s/source.jpg', 'sessions/s/cold.jpg']) {
      const seen = await Promise.all(
        Array.from({ length: 5 }, () => files.store.withLocalFile(key, (path) => readFile(path))),
      );
      expect(seen).toEqual(Array.from({ length: 5 }, () => content));
    }
    const missing = files.store.withLocalFile('sessions/s/none.jpg', (path) => readFile(path));
    await expect(missing).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('belongs to one database: another one, or an empty store, is refused', async () => {
    const database = () => {
      let stored: string | undefined;
      return {
        agree: async (id: string) => (stored ??= id),
        async withdraw(id: string) {
          if (stored === id) stored = undefined;
        },
      };
    };
    const own = database();
    await identifyStore(files, own);
    await identifyStore(files, own);
    const foreign = { agree: async () => 'another', withdraw: async () => {} };
    await expect(identifyStore(files, foreign, 200)).rejects.toThrow('it holds those of another');
    const empty = await open({ ...env, DATA_DIR: join(directory, 'elsewhere'), ...KINDS[kind]() });
    await expect(identifyStore(empty, own, 200)).rejects.toThrow('it holds none');
    // A new database may take over files that are there.
    await identifyStore(files, database());
  });
});

const hasNoDelete = realStore()?.noDelete !== null;

describe.skipIf(!hasNoDelete)('a key of an S3 store that may not delete', () => {
  it('is found by the try at the start, and names the files that stay', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'imagewright-store-'));
    const config = storageConfig.parse({ DATA_DIR: directory, ...s3.env('denied', undefined, 'noDelete') });
    const { trials } = await tryStore(config);
    expect(trials.map(({ tried, code }) => [tried, code])).toEqual([
      ['store', 'ok'],
      ['read', 'ok'],
      ['list', 'ok'],
      ['delete', 'access_denied'],
    ]);
    const { store } = await openFiles(config);
    const [left = ''] = await keysOf(store, 'probes');
    await expect(store.removeBelow('probes')).rejects.toMatchObject({ keys: [left] });
    const { store: whole } = await openFiles(storageConfig.parse({ DATA_DIR: directory, ...s3.env('denied') }));
    await whole.removeBelow('probes');
    expect(await keysOf(whole, 'probes')).toEqual([]);
    await rm(directory, { recursive: true });
  });

  async function keysOf(store: Files['store'], folder: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of store.list(folder)) keys.push(key);
    return keys;
  }
});

describe('an S3 store that does not respond', () => {
  let directory: string;
  let proxy: FaultProxy;
  let files: Files;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'imagewright-store-'));
    proxy = await startFaultProxy(s3.endpoint);
    files = await openFiles(storageConfig.parse({ DATA_DIR: directory, ...s3.env('faults', proxy.url) }));
    await files.scratch.prepare();
  });
  afterEach(() => proxy.reset());
  afterAll(async () => {
    await proxy.close();
    await rm(directory, { recursive: true });
  });

  async function put(key: string): Promise<void> {
    const file = files.scratch.newFile();
    await writeFile(file, key);
    await files.store.putFile(key, file, { size: key.length, contentType: 'image/webp' });
  }

  it.each([
    ['a refusal for a moment', { kind: 'answer', status: 503 }],
    ['a cut connection', { kind: 'lose-answer' }],
  ] as const)('%s is outlasted', async (_, fault) => {
    proxy.inject(fault as never, { method: 'PUT' });
    await put('sessions/s/a.webp');
    expect(await files.store.head('sessions/s/a.webp')).toEqual({ size: 17 });
  });

  it('is told apart from a file that does not exist', async () => {
    for (let times = 0; times < 8; times += 1) proxy.inject({ kind: 'answer', status: 500 });
    await expect(files.store.open('sessions/s/b.webp')).rejects.toBeInstanceOf(StoreAwayError);
    await expect(put('sessions/s/b.webp')).rejects.toBeInstanceOf(StoreAwayError);
    proxy.reset();
    expect(await files.store.open('sessions/s/b.webp')).toBeNull();
  });
});
