import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RefusedRemovalError, StoreAwayError, StoreFullError } from '../../server/errors.ts';
import { storageConfig } from '../../server/storage/config.ts';
import {
  createRemovalQueue,
  type Files,
  identifyStore,
  openFiles,
  requireUsable,
  type StoreReport,
  tryStore,
} from '../../server/storage/index.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { type OwnS3Server, startOwnS3Server } from './s3-server.ts';

let s3: OwnS3Server;
let proxy: FaultProxy;
let directory: string;
const lines: string[] = [];
const logger = { warn: (_: object, line: string) => void lines.push(line), info: () => {} };

beforeAll(async () => {
  s3 = await startOwnS3Server();
  proxy = await startFaultProxy(s3.endpoint);
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-troubles-'));
});
afterEach(async () => {
  lines.length = 0;
  proxy.reset();
  for (const key of ['whole', 'noDelete'] as const) s3.forbid(key, key === 'whole' ? [] : ['delete']);
  await rm(directory, { recursive: true });
});
afterAll(async () => {
  await proxy.close();
  await s3.close();
});

let prefixes = 0;
const settings = (more: Record<string, string> = {}, key: Parameters<OwnS3Server['env']>[2] = 'whole') =>
  storageConfig.parse({ DATA_DIR: directory, ...s3.env(`p${prefixes++}`, proxy.url, key), ...more });
const at = (url: string) => ({ FILES_URL: url });

async function open(config = settings()): Promise<Files> {
  const files = await openFiles(config, logger);
  await files.scratch.prepare();
  return files;
}

async function put({ store, scratch }: Files, key: string): Promise<void> {
  const file = scratch.newFile();
  await writeFile(file, key);
  await store.putFile(key, file, { size: key.length, contentType: 'image/webp' });
}

const startOf = (report: StoreReport) => () => requireUsable(report, (_, line) => lines.push(line));

describe('a start with settings that are wrong is told by the cause, with setting and remedy', () => {
  const wrong: [string, () => Record<string, string>, Parameters<OwnS3Server['env']>[2], RegExp][] = [
    [
      'wrong secret',
      () => ({ AWS_SECRET_ACCESS_KEY: 'wrong' }),
      'whole',
      /^AWS_SECRET_ACCESS_KEY: .*signature; set the/,
    ],
    [
      'unknown key',
      () => ({ AWS_ACCESS_KEY_ID: 'NOBODY' }),
      'whole',
      /^AWS_ACCESS_KEY_ID: .*does not know .*; set one/,
    ],
    [
      'old token',
      () => ({ AWS_SESSION_TOKEN: 'old' }),
      'temporary',
      /^AWS_SESSION_TOKEN: .*have ended .*; set new ones/,
    ],
    ['no bucket', () => at(`s3://nowhere/p?endpoint=${s3.endpoint}`), 'whole', /^FILES_URL: .*no such bucket; correct/],
    [
      'region',
      () => at(`s3://pictures/p?endpoint=${s3.endpoint}&region=eu-west-1`),
      'whole',
      /another region; set `region/,
    ],
    ['no list', () => ({}), 'noList', /^FILES_URL: .*may not list files; allow them s3:ListBucket/],
    ['nothing there', () => at('s3://pictures/p?endpoint=http://127.0.0.1:9'), 'whole', /nothing listens there; start/],
    ['no host', () => at('s3://pictures/p?endpoint=http://s3.nowhere.invalid'), 'whole', /host is unknown; correct/],
    [
      'https',
      () => at(`s3://pictures/p?endpoint=${s3.endpoint.replace('http:', 'https:')}`),
      'whole',
      /does not speak HTTPS; /,
    ],
    [
      'no keys',
      () => ({ AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_EC2_METADATA_DISABLED: 'true' }),
      'whole',
      /^AWS_ACCESS_KEY_ID: .*no keys could be had from/,
    ],
  ];
  it.each(wrong)('%s', async (_, more, key, line) => {
    const report = await tryStore(settings(more(), key));
    expect(startOf(report)).toThrow(line);
    expect(JSON.stringify(report)).not.toMatch(/\bat .*\.ts:|no delete|S3RVER"/);
  });

  it('a page of a gateway', async () => {
    proxy.inject({ kind: 'answer', status: 404, html: '<html>default backend</html>' }, { times: 9 });
    expect(startOf(await tryStore(settings()))).toThrow(/there is no S3 store \(404 NotFound\); correct `endpoint`/);
  });

  it('what the service can do without is a warning', async () => {
    const readOnly = await tryStore(settings({}, 'readOnly'));
    expect(startOf(readOnly)).not.toThrow();
    expect(lines).toEqual([
      expect.stringMatching(/may not store files; allow them s3:PutObject/),
      expect.stringMatching(/may not delete files, .*; allow them s3:DeleteObject/),
    ]);
    const noDelete = await tryStore(settings({}, 'noDelete'));
    expect(noDelete.trials.map(({ tried, level, code }) => [tried, level, code])).toEqual([
      ['store', 'ok', 'ok'],
      ['read', 'ok', 'ok'],
      ['list', 'ok', 'ok'],
      ['delete', 'warning', 'access_denied'],
    ]);
  });

  it('leaves nothing behind, in a bucket and in a folder', async () => {
    const config = settings();
    for (const each of [config, storageConfig.parse({ DATA_DIR: directory })]) {
      expect((await tryStore(each)).trials.every(({ level }) => level === 'ok')).toBe(true);
      for await (const { key } of (await open(each)).store.list('probes')) expect(key).toBe('nothing');
    }
  });

  it('half a pair of keys is refused', () => {
    const { AWS_ACCESS_KEY_ID: _, ...half } = s3.env();
    expect(storageConfig.safeParse(half).error?.issues).toMatchObject([{ path: ['AWS_ACCESS_KEY_ID'] }]);
  });
});

describe('a deletion that the store refuses', () => {
  it('is noticed although the answer is a success, and the other files go', async () => {
    const files = await open(settings({}, 'noDelete'));
    await put(files, 'sessions/s/a.jpg');
    const refused = await files.store.removeMany(['sessions/s/a.jpg']).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RefusedRemovalError);
    expect((refused as RefusedRemovalError).keys).toEqual(['sessions/s/a.jpg']);
    await expect(files.store.removeBelow('sessions/s')).rejects.toBeInstanceOf(RefusedRemovalError);
    expect(lines).toEqual([expect.stringMatching(/may not delete files, so those of deleted sessions stay/)]);
    s3.forbid('noDelete', []);
    await files.store.removeBelow('sessions/s');
    expect(await files.store.head('sessions/s/a.jpg')).toBeNull();
  });

  it('waits until it is done, also while the store is away', async () => {
    const opened = await open(settings({}, 'noDelete'));
    const keys = new Set<string>();
    const waiting = {
      add: async (some: readonly string[]) => some.forEach((key) => void keys.add(key)),
      oldest: async (limit: number) => [...keys].slice(0, limit),
      remove: async (some: readonly string[]) => some.forEach((key) => void keys.delete(key)),
    };
    const { store, sweep } = createRemovalQueue({ store: opened.store, waiting });
    for (const key of ['variants/ab/a.webp', 'sessions/s/a.jpg', 'sessions/t/a.jpg']) await put(opened, key);
    expect(await store.removeMany(['variants/ab/a.webp'])).toBe(false);
    expect(await store.removeBelow('sessions/s')).toBe(false);
    proxy.inject({ kind: 'answer', status: 503 }, { times: 9 });
    expect(await store.removeBelow('sessions/t')).toBe(false);
    proxy.reset();
    expect([...keys]).toEqual(['variants/ab/a.webp', 'sessions/s/a.jpg', 'sessions/t/']);
    await sweep();
    expect(keys.size).toBe(3);
    s3.forbid('noDelete', []);
    await sweep();
    expect(keys.size).toBe(0);
    for (const key of ['variants/ab/a.webp', 'sessions/s/a.jpg', 'sessions/t/a.jpg'])
      expect(await store.head(key)).toBeNull();
  });
});

describe('a store that refuses while the service runs', () => {
  it.each([
    ['a revoked right', 403, 'access_denied'],
    ['a page of a gateway', 404, 'no_store'],
    ['another region', 301, 'wrong_region'],
  ])('%s is an outage, told once', async (_, status, code) => {
    const files = await open();
    proxy.inject({ kind: 'answer', status, html: '<html></html>' }, { method: 'PUT', times: 2 });
    for (const key of ['sessions/s/a.webp', 'sessions/s/b.webp']) {
      const refused = await put(files, key).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StoreAwayError);
      expect((refused as StoreAwayError).trouble?.code).toBe(code);
    }
    expect(lines).toEqual([expect.stringMatching(/^FILES_URL: /)]);
    await put(files, 'sessions/s/a.webp');
  });

  it('a full store is a full disk', async () => {
    const files = await open();
    proxy.inject({ kind: 'answer', status: 507 }, { method: 'PUT' });
    const refused = await put(files, 'sessions/s/a.webp').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreFullError);
    expect(refused).toMatchObject({ code: 'ENOSPC' });
  });

  it('a gateway in its place is no missing file', async () => {
    const files = await open();
    proxy.inject({ kind: 'answer', status: 404, html: '<html></html>' });
    await expect(files.store.open('sessions/s/none.webp')).rejects.toBeInstanceOf(StoreAwayError);
    expect(await files.store.open('sessions/s/none.webp')).toBeNull();
  });
});

it('a first write of the id that fails locks nothing', async () => {
  let stored: string | undefined;
  const agreement = {
    agree: async (id: string) => {
      stored ??= id;
      return stored;
    },
    withdraw: async () => {
      stored = undefined;
    },
  };
  const config = settings({}, 'readOnly');
  await expect(open(config).then((files) => identifyStore(files, agreement, 100))).rejects.toThrow(/s3:PutObject/);
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = s3.env();
  const files = await open(
    storageConfig.parse({ ...config, FILES_COPIES_MB: '1', AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }),
  );
  await identifyStore(files, agreement, 100);
  expect((await files.store.head('store-id'))?.size).toBe(25);
});

it('any name of a file can be fetched at a signed address', async () => {
  const files = await open();
  await put(files, 'variants/ab/a.webp');
  for (const disposition of [
    `attachment; filename="ete 2024 (1).webp"; filename*=UTF-8''%C3%A9t%C3%A9%202024%20%281%29.webp`,
    `attachment; filename="it's 50% off!.webp"; filename*=UTF-8''it%27s%2050%25%20off!.webp`,
    'attachment; filename="a*b+c &d=e.webp"',
  ]) {
    const url = (await files.store.urlOf('variants/ab/a.webp', { disposition, mimeType: 'image/webp' }))?.address ?? '';
    const direct = await fetch(url);
    expect([direct.status, direct.headers.get('content-disposition')]).toEqual([200, disposition]);
    expect((await fetch(url.replace('ab/a.webp', 'ab/b.webp'))).status).toBe(403);
  }
});
