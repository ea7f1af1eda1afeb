import { describe, expect, it } from 'vitest';
import { connect, rejection, useDatabase } from './embedded-fixture.ts';

const database = useDatabase();

interface Counter {
  _id: string;
  n: number;
}

describe('50 clients at once', () => {
  it('lose no increment', async () => {
    const counters = database.connection.collection<Counter>('counters');
    await counters.insertOne({ _id: 'one', n: 0 });
    const clients = Array.from({ length: 50 }, async () => {
      for (let turn = 0; turn < 20; turn++) await counters.updateOne({ _id: 'one' }, { $inc: { n: 1 } });
    });
    await Promise.all(clients);
    expect(await counters.findOne({ _id: 'one' })).toEqual({ _id: 'one', n: 1000 });
  });

  it('take exactly what there is, never more', async () => {
    const connections = await Promise.all([1, 2, 3].map(() => connect(database.uri, { maxPoolSize: 17 })));
    const accounts = database.connection.collection<Counter>('accounts');
    await accounts.insertOne({ _id: 'one', n: 500 });
    const balances: number[] = [];
    const clients = Array.from({ length: 50 }, async (_, client) => {
      const mine = connections[client % 3]?.collection<Counter>('accounts');
      for (let turn = 0; turn < 16; turn++) {
        const after = await mine?.findOneAndUpdate(
          { _id: 'one', n: { $gte: 1 } },
          { $inc: { n: -1 } },
          { returnDocument: 'after' },
        );
        if (after) balances.push(after.n);
      }
    });
    await Promise.all(clients);
    expect(balances.sort((a, b) => b - a)).toEqual(Array.from({ length: 500 }, (_, taken) => 499 - taken));
    expect(await accounts.findOne({ _id: 'one' })).toMatchObject({ n: 0 });
    await Promise.all(connections.map((connection) => connection.close()));
  });

  it('get a unique value once', async () => {
    const users = database.connection.collection('users');
    await users.createIndex({ email: 1 }, { unique: true });
    for (let round = 0; round < 5; round++) {
      const tries = Array.from({ length: 50 }, () => users.insertOne({ email: `round${round}` }));
      const results = await Promise.allSettled(tries);
      const refused = results.filter((result) => result.status === 'rejected');
      expect(refused.map(({ reason }) => reason.code)).toEqual(Array(49).fill(11000));
    }
    expect(await users.countDocuments()).toBe(5);
  });

  it('reserve an element of an array once, with all the others of the reservation or none', async () => {
    const outputs = database.connection.collection<{ space: string; names: string[] }>('outputs');
    await outputs.createIndex({ space: 1, names: 1 }, { unique: true });
    for (let round = 0; round < 5; round++) {
      const space = `s${round}`;
      // Client n wants its own name and a neighbour's: of each pair of neighbours only one may win.
      const tries = Array.from({ length: 50 }, (_, n) =>
        outputs.insertOne({ space, names: [`${n}`, `${(n + 1) % 50}`] }),
      );
      const results = await Promise.allSettled(tries);
      const names = (await outputs.find({ space }).toArray()).flatMap((doc) => doc.names);
      expect(new Set(names).size).toBe(names.length);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(names.length / 2);
      expect(names.length).toBeGreaterThanOrEqual(2 * Math.ceil(50 / 3));
      const late = await outputs.insertOne({ space, names: ['late'] });
      const taken = outputs.updateOne({ _id: late.insertedId }, { $push: { names: names[0] } });
      expect(await rejection(taken)).toMatchObject({ code: 11000 });
    }
  });

  it('upsert one document for one key', async () => {
    const counters = database.connection.collection<Counter>('upserts');
    const tries = Array.from({ length: 50 }, () =>
      counters.updateOne({ _id: 'k' }, { $inc: { n: 1 } }, { upsert: true }),
    );
    const results = await Promise.all(tries);
    expect(results.filter(({ upsertedCount }) => upsertedCount === 1)).toHaveLength(1);
    expect(await counters.findOne()).toEqual({ _id: 'k', n: 50 });
  });

  it('are not disturbed by a request that makes no sense', async () => {
    const docs = database.connection.collection('neighbours');
    const db = database.connection.db as NonNullable<typeof database.connection.db>;
    const good = Array.from({ length: 20 }, (_, n) => docs.insertOne({ n }));
    const senseless = [
      { update: 'neighbours', updates: [null] },
      { insert: 'neighbours', documents: [5] },
    ];
    const bad = senseless.map((command) => rejection(db.command(command)));
    const more = Array.from({ length: 20 }, (_, n) => docs.insertOne({ n: n + 20 }));
    await Promise.all([...good, ...more]);
    expect(await Promise.all(bad)).toHaveLength(2);
    expect(await docs.countDocuments()).toBe(40);
  });

  it('lease each job to one worker', async () => {
    const jobs = database.connection.collection<{ state: string; owner?: number; n: number }>('jobs');
    await jobs.createIndex({ state: 1, n: 1 });
    await jobs.insertMany(Array.from({ length: 100 }, (_, n) => ({ state: 'queued', n })));
    const leased: number[] = [];
    const workers = Array.from({ length: 20 }, async (_, owner) => {
      for (;;) {
        const update = { $set: { state: 'running', owner } };
        const job = await jobs.findOneAndUpdate({ state: 'queued' }, update, { sort: { n: 1 } });
        if (!job) return;
        leased.push(job.n);
      }
    });
    await Promise.all(workers);
    expect(leased.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });
});
