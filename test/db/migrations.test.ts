import { expect, it, onTestFinished } from 'vitest';
import { MIGRATIONS, migrate } from '../../server/db/migrations/index.ts';
import type { Migration } from '../../server/db/migrations/migration.ts';
import { buildIndexes } from '../../server/db/prepare-data.ts';
import { createRepositories } from '../../server/db/repositories/index.ts';
import { connect, rejection, useDatabase } from './embedded/embedded-fixture.ts';

const database = useDatabase();

/** A database of its own on the store, and a migration run on it. */
async function open(name: string) {
  const connection = await connect(database.uri, { dbName: name, autoIndex: false, autoCreate: false });
  onTestFinished(() => connection.close());
  const { cluster } = createRepositories(connection);
  const log: Record<string, unknown>[] = [];
  const run = (migrations: readonly Migration[], options: { silenceMs?: number; alone?: boolean } = {}) =>
    migrate({ connection, cluster, migrations, log: (fields, msg) => log.push({ ...fields, msg }), ...options });
  return { connection, cluster, log, run };
}

/** A migration that counts how often it ran, after `work`. */
function counting(name: string, work: () => Promise<void> = async () => {}): Migration {
  return {
    name,
    async apply(connection) {
      await work();
      await connection.collection('ran').updateOne({ _id: name as never }, { $inc: { times: 1 } }, { upsert: true });
    },
  };
}

const timesOf = async ({ connection }: Awaited<ReturnType<typeof open>>) =>
  Object.fromEntries((await connection.collection('ran').find().toArray()).map(({ _id, times }) => [_id, times]));

it('a new database gets the present version, and nothing is changed in it', async () => {
  const one = await open('fresh');
  await one.run([counting('a'), counting('b')]);
  expect(await one.cluster.read()).toMatchObject({ dataVersion: 2, migration: null });
  expect(await timesOf(one)).toEqual({});
});

it('data without a version gets every migration, in order and once', async () => {
  const one = await open('old');
  await one.connection.collection('accounts').insertOne({ email: 'a@b.c' });
  await one.run([counting('a')]);
  await one.run([counting('a'), counting('b')]);
  expect(await timesOf(one)).toEqual({ a: 1, b: 1 });
  expect(one.log.map(({ version, msg }) => `${version} ${msg}`)).toEqual([
    '1 changing the stored data',
    '1 the stored data has been changed',
    '2 changing the stored data',
    '2 the stored data has been changed',
  ]);
});

it('of servers that start together, one changes the data and the others wait', async () => {
  const one = await open('together');
  await one.connection.collection('accounts').insertOne({ email: 'a@b.c' });
  const migrations = [counting('a', () => new Promise((done) => setTimeout(done, 150))), counting('b')];
  await Promise.all([1, 2, 3].map(() => one.run(migrations, { silenceMs: 5000 })));
  expect(await timesOf(one)).toEqual({ a: 1, b: 1 });
});

it('a migration that was interrupted is repeated by the next server, at once if that is alone', async () => {
  const one = await open('interrupted');
  await one.connection.collection('accounts').insertOne({ email: 'a@b.c' });
  const killed = counting('a', () => Promise.reject(new Error('killed')));
  expect((await rejection(one.run([killed]))).message).toBe('killed');
  expect(await one.cluster.read()).toMatchObject({ dataVersion: 0, migration: { beat: 0 } });
  const startedAt = performance.now();
  await one.run([counting('a')], { silenceMs: 300 });
  expect(performance.now() - startedAt).toBeGreaterThan(300);
  expect(await timesOf(one)).toEqual({ a: 1 });
  await rejection(one.run([killed, killed]));
  await one.run([killed, counting('b')], { alone: true });
  expect(await one.cluster.read()).toMatchObject({ dataVersion: 2, migration: null });
});

it('data of a newer service is refused in one line', async () => {
  const one = await open('newer');
  await one.run([counting('a'), counting('b')]);
  expect(await rejection(one.run([counting('a')]))).toMatchObject({
    name: 'StartError',
    message: expect.stringContaining('expected data of version 1 or older, found 2'),
  });
});

it('an index whose options have changed is built anew', async () => {
  const one = await open('indexes');
  const accounts = one.connection.collection('accounts');
  await accounts.createIndex({ email: 1 }, { unique: false });
  await buildIndexes(one.connection);
  const index = (await accounts.indexes()).find(({ key }) => JSON.stringify(key) === '{"email":1}');
  expect(index).toMatchObject({ unique: true });
});

it('every migration has a name', () => {
  for (const { name } of MIGRATIONS) expect(name).toMatch(/^[a-z].{10,}/);
});

it.each([
  ['an owner on the plan free', { role: 'operator', plan: 'free' }, false, 'agency'],
  ['an unclaimed account', { email: 'owner@imagewright.local', plan: 'free' }, false, 'agency'],
  ['an owner whose plan an operator has set', { role: 'operator', plan: 'free' }, true, 'free'],
  ['an owner on another plan', { role: 'operator', plan: 'custom' }, false, 'custom'],
  ['somebody who signed up first', { plan: 'free' }, false, 'free'],
])(
  'of data without the plan of the owner, %s is on the right one after the upgrade',
  async (name, fields, isSet, plan) => {
    const one = await open(name.replaceAll(/\W/g, '-'));
    const accounts = one.connection.collection('accounts');
    const others = { _id: 'acct_2' as never, email: 'b@b.c', plan: 'free', role: 'operator', createdAt: new Date(2) };
    await accounts.insertMany([others, { _id: 'acct_1' as never, email: 'a@b.c', createdAt: new Date(1), ...fields }]);
    const line = {
      _id: 'log_1' as never,
      action: 'account.plan',
      target: 'acct_1',
      change: { from: 'agency', to: 'free' },
    };
    if (isSet) await one.connection.collection('operator_log').insertOne(line);
    await one.run(MIGRATIONS);
    await one.run(MIGRATIONS);
    expect(await accounts.findOne({ _id: 'acct_1' as never })).toMatchObject({ plan });
    expect(await accounts.findOne({ _id: 'acct_2' as never })).toMatchObject({ plan: 'free' });
    const said = one.log.filter(({ version, done }) => version === MIGRATIONS.length && done === 1);
    expect(said).toHaveLength(plan === 'agency' ? 1 : 0);
  },
);
