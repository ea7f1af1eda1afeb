import type { Document } from 'bson';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Connection, connectDatabase } from '../../server/db/connect.ts';
import { createCachedVariantRepository } from '../../server/db/repositories/cached-variants.ts';
import { createRepositories, type Repositories } from '../../server/db/repositories/index.ts';
import { createJobEventRepository, eventId } from '../../server/db/repositories/job-history.ts';
import type { OutputRecord } from '../../server/db/repositories/outputs.ts';
import { useDatabase } from './embedded/embedded-fixture.ts';
import { type ReplicaSet, startReplicaSet } from './replica-set/index.ts';

const store = useDatabase();
let set: ReplicaSet;
let connection: Connection;
let repositories: Repositories;

beforeAll(async () => {
  set = await startReplicaSet(store.uri);
  connection = await connectDatabase({ uri: set.uri });
  repositories = createRepositories(connection);
  for (const { schema, collection } of Object.values(connection.models))
    for (const [key, { background: _, ...options }] of schema.indexes())
      await collection.createIndex(key as never, options as never);
});
afterEach(() => set.reset());
afterAll(async () => {
  await connection?.close();
  await set?.close();
});

const accountOf = (_id: string) => ({
  ...{ _id, email: `${_id}@example.com`, plan: 'free', suspendedAt: null, balance: 0, used: 0, granted: 0 },
  ...{ holds: [], lanes: {}, activeKeys: [], createdAt: new Date(), updatedAt: new Date() },
});

/** As FerretDB 2: `findAndModify` that meets a unique value does not say so. */
function hideDuplicates(): void {
  set.pretend({
    answer: (command, reply): Document =>
      command === 'findAndModify' && Number(reply.code) === 11000
        ? { ok: 0, code: 1, codeName: 'InternalError', errmsg: 'unexpected result' }
        : reply,
  });
}

it('files that were renamed are published again where findAndModify names no duplicate', async () => {
  hideDuplicates();
  const { outputs } = repositories;
  const record: OutputRecord = {
    _id: 'n:img:1',
    accountId: 'a',
    sessionId: 's',
    namespace: 'n',
    names: ['first'],
    files: [
      {
        variant: 'main',
        filename: 'first.webp',
        path: 'p1',
        size: 1,
        width: 1,
        height: 1,
        mimeType: 'image/webp',
        sha256: 'x',
      },
    ],
    contents: ['c'],
    number: 1,
    updatedAt: new Date(),
  };
  expect(await outputs.publish(record)).toEqual({ before: null, version: 1 });
  const stored = (await outputs.find(record._id)) as OutputRecord;
  expect(await outputs.rename(stored, { names: ['first', 'second'], files: stored.files, former: [] })).toBe(true);
  const again = await outputs.publish({ ...record, names: ['second'] });
  expect(again).toMatchObject({ before: { version: 2 }, version: 3 });
  expect(await outputs.find(record._id)).toMatchObject({ version: 3, names: expect.arrayContaining(['second']) });
  // Servers at once publish each after the other.
  const all = await Promise.all(Array.from({ length: 8 }, () => outputs.publish({ ...record, _id: 'n:img:2' })));
  expect(all.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

it('an address that another account has is taken, and the identity and variants are made once', async () => {
  hideDuplicates();
  const { accounts, cluster } = repositories;
  for (const id of ['one', 'two']) await accounts.insert(accountOf(id));
  const claim = (email: string) => accounts.claim('two', 'two@example.com', { email, passwordHash: 'h' }, new Date());
  expect(await claim('one@example.com')).toBe('taken');
  const claimed = await claim('new@example.com');
  expect(claimed).toMatchObject({ _id: 'two', email: 'new@example.com', passwordVersion: 1 });
  const opened = await Promise.all(Array.from({ length: 8 }, () => cluster.open(4)));
  expect(opened).toEqual(Array(8).fill({ _id: 'identity', dataVersion: 4, migration: null }));
  const variants = createCachedVariantRepository(connection);
  const variant = (path: string) =>
    variants.put({ _id: 'v', accountId: 'a', path, size: 1, usedAt: new Date() } as never);
  const replaced = await Promise.all(['1', '2', '3', '4'].map(variant));
  expect(replaced.filter((path) => path === null)).toHaveLength(1);
  expect(new Set(replaced).size).toBe(4);
});

it('of events whose numbers are taken, those before are stored, whatever the server counts', async () => {
  const events = createJobEventRepository(connection);
  const event = (n: number, by: string) => ({ _id: eventId('job_o', n), n, event: 'progress', data: {}, by });
  await events.append([event(3, 'other')]);
  set.pretend({ answer: (command, reply) => (command === 'insert' && reply.writeErrors ? { ...reply, n: 0 } : reply) });
  expect(await events.append([1, 2, 3, 4].map((n) => event(n, 'own')))).toBe(2);
  expect(await events.append([event(3, 'own')])).toBe(0);
});

it('writes are repeated by the driver, unless the connection string says retryWrites=false', async () => {
  for (const [option, isRetryable] of [
    ['', true],
    ['&retryWrites=false', false],
    ['&retrywrites=false', false],
  ] as const) {
    set.reset();
    const other = await connectDatabase({ uri: `${set.uri}${option}&w=1&journal=false` });
    await other.collection<{ _id: string }>('counters').insertOne({ _id: `retry${option}` });
    await other.close();
    expect(set.seen).toMatchObject([{ command: 'insert', isRetryable, writeConcern: { w: 'majority', j: true } }]);
  }
});
