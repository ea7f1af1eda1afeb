import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, connectDatabase } from '../../server/db/connect.ts';
import { type Embedded, startEmbedded } from '../../server/db/embedded/index.ts';
import { describeFault, explainDatabaseError, openDatabase } from '../../server/db/index.ts';
import { isDatabaseAway, isDiskFull } from '../../server/errors.ts';
import { type ReplicaSet, startReplicaSet } from './replica-set/index.ts';

let directory: string;
let store: Embedded;
let set: ReplicaSet;
let connection: Connection;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-set-'));
  store = await startEmbedded({ directory });
  set = await startReplicaSet(store.uri);
  connection = await connectDatabase({ uri: set.uri });
});
afterEach(() => set.reset());
afterAll(async () => {
  await connection.close();
  await set.close();
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

const counters = () => connection.collection<{ _id: string; n: number }>('counters');
const add = (id: string) => counters().updateOne({ _id: id }, { $inc: { n: 1 } }, { upsert: true });
const read = async (id: string) => (await counters().findOne({ _id: id }))?.n ?? 0;

describe('a write whose answer is lost', () => {
  it('is repeated by the driver and counts once', async () => {
    set.inject({ kind: 'cut', when: 'after' }, { command: 'update' });
    await add('lost');
    expect(set.seen.map(({ isRepeated }) => isRepeated)).toEqual([false, true]);
    expect(await read('lost')).toBe(1);
  });

  it('that a majority has not confirmed is repeated and counts once', async () => {
    set.inject({ kind: 'write-concern-error', code: 91 }, { command: 'update' });
    await add('unconfirmed');
    expect(await read('unconfirmed')).toBe(1);
  });

  it('that a majority never confirms counts as an unknown outcome', async () => {
    set.inject({ kind: 'write-concern-error', code: 64 }, { command: 'update', times: 2 });
    const error = await add('unknown').catch((thrown: unknown) => thrown);
    expect(isDatabaseAway(error)).toBe(true);
  });
});

describe('an answer that comes late', () => {
  const LIMIT_MS = 500;
  const addFrom = async (impatient: Connection, id: string) =>
    impatient.collection<{ _id: string }>('counters').updateOne({ _id: id }, { $inc: { n: 1 } }, { upsert: true });
  let impatient: Connection;
  beforeAll(async () => {
    impatient = await connectDatabase({ uri: set.uri, socketTimeoutMs: LIMIT_MS });
  });
  afterAll(() => impatient.close());

  it('within the limit is waited for', async () => {
    set.inject({ kind: 'delay', ms: LIMIT_MS / 2 }, { command: 'update' });
    await addFrom(impatient, 'late');
    expect(set.seen.map(({ fault }) => fault)).toEqual(['delay']);
    expect(await read('late')).toBe(1);
  });

  it('after the limit is asked for again, and the write counts once', async () => {
    set.inject({ kind: 'delay', ms: LIMIT_MS * 1.5 }, { command: 'update' });
    await addFrom(impatient, 'too-late');
    expect(set.seen.map(({ isRepeated }) => isRepeated)).toEqual([false, true]);
    expect(await read('too-late')).toBe(1);
  });

  it('after the limit each time counts as a database that is away', async () => {
    set.inject({ kind: 'delay', ms: LIMIT_MS * 40 }, { command: 'update' });
    const startedAt = performance.now();
    const error = await addFrom(impatient, 'silent').catch((thrown: unknown) => thrown);
    expect(isDatabaseAway(error)).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(LIMIT_MS * 40);
  });
});

describe('a refusal by the server', () => {
  it('of a bulk write for want of disk space does not count as a database that is away', async () => {
    set.inject({ kind: 'error', code: 14031 }, { command: 'insert' });
    const error = await counters()
      .insertMany([{ _id: 'refused', n: 1 }])
      .catch((thrown: unknown) => thrown);
    expect([isDatabaseAway(error), isDiskFull(error)]).toEqual([false, true]);
  });
});

describe('a change of the primary', () => {
  it.each([10107, 11602, 189, 91, 11600, 13436])('code %i is repeated on the next primary', async (code) => {
    set.inject({ kind: 'error', code }, { command: 'update' });
    await add(`code-${code}`);
    expect(await read(`code-${code}`)).toBe(1);
  });

  it.each([10107, 11602, 189, 13435])('code %i that stays counts as a database that is away', async (code) => {
    set.inject({ kind: 'error', code }, { times: 4 });
    const written = await add('stays').catch((thrown: unknown) => thrown);
    const found = await read('stays').catch((thrown: unknown) => thrown);
    expect([written, found].map(isDatabaseAway)).toEqual([true, true]);
  });

  it('is followed to the member that was elected', async () => {
    const before = await read('elected');
    const elected = set.stepDown(300);
    await add('elected');
    await elected;
    expect(await read('elected')).toBe(before + 1);
    const killed = set.killPrimary(300);
    await add('elected');
    await killed;
    expect(await read('elected')).toBe(before + 2);
  });
});

describe('what the connection string cannot change', () => {
  it('writes wait for a majority and its journal, reads come from the primary', async () => {
    const lax = await connectDatabase({
      uri: `${set.uri}&w=1&journal=false&readPreference=secondary&readConcernLevel=local`,
    });
    await lax.collection<{ _id: string }>('counters').updateOne({ _id: 'lax' }, { $inc: { n: 1 } }, { upsert: true });
    await lax.collection<{ _id: string }>('counters').findOne({ _id: 'lax' });
    await lax.close();
    const [write, found] = set.seen;
    expect(write).toMatchObject({ writeConcern: { w: 'majority', j: true }, isRetryable: true });
    expect(found).toMatchObject({ command: 'find', readConcern: { level: 'majority' } });
  });
});

describe('the version of the server', () => {
  it('is refused in one line if it is too old', async () => {
    set.pretend({ buildInfo: { version: '5.0.31' } });
    const thrown = await openDatabase({ uri: set.uri }).catch((error: unknown) => error);
    const fault = explainDatabaseError(thrown, set.uri);
    expect(fault && describeFault(fault)).toBe(
      'the database cannot be used (the server there is 5.0.31); use MongoDB 6.0 or newer',
    );
  });
});
