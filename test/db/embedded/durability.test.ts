import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { decode } from '../../../server/db/embedded/bson-codec.ts';
import { documentRange, indexRange } from '../../../server/db/embedded/catalog.ts';
import { createEngine } from '../../../server/db/embedded/engine.ts';
import { startEmbedded } from '../../../server/db/embedded/index.ts';
import { openStore } from '../../../server/db/embedded/store.ts';
import { startChildStore } from './child-store.ts';
import { connect, freshDirectory, rejection } from './embedded-fixture.ts';

const ROUNDS = Number(process.env.IMAGEWRIGHT_KILL_ROUNDS ?? (process.env.CI ? 20 : 3));

describe('a store', () => {
  it('has its documents, indexes and rules again after a restart', async () => {
    const directory = freshDirectory();
    const first = await startEmbedded({ directory });
    const before = await connect(first.uri);
    const docs = before.collection('docs');
    await docs.createIndex({ names: 1 }, { unique: true, partialFilterExpression: { open: true } });
    await docs.insertMany([{ n: 1, names: ['a', 'b'], open: true }, { n: 2 }]);
    const indexes = await docs.indexes();
    await before.close();
    await first.close();

    const second = await startEmbedded({ directory });
    onTestFinished(() => second.close());
    const after = await connect(second.uri);
    onTestFinished(() => after.close());
    const again = after.collection('docs');
    expect(await again.indexes()).toEqual(indexes);
    expect(await again.find({}, { projection: { _id: 0, n: 1 } }).toArray()).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await rejection(again.insertOne({ names: ['b'], open: true }))).toMatchObject({ code: 11000 });
    expect(await again.countDocuments({ names: { $gte: 'a', $lte: 'a' }, open: true })).toBe(1);
  });

  it(`keeps every acknowledged write over ${ROUNDS} rounds of kill -9`, {
    timeout: 30_000 + ROUNDS * 10_000,
  }, async () => {
    const directory = freshDirectory();
    const inserted = new Set<number>();
    let sequence = 0;
    let sent = 0;
    let acknowledged = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const store = await startChildStore(directory);
      const connection = await connect(store.uri, { maxPoolSize: 16 });
      const docs = connection.collection<{ _id: number; even: boolean; names: string[] }>('docs');
      const counters = connection.collection<{ _id: string; n: number }>('counters');
      if (round === 0) await docs.createIndex({ names: 1 }, { unique: true });
      let running = true;
      const inserter = async () => {
        while (running) {
          const _id = ++sequence;
          await docs.insertOne({ _id, even: _id % 2 === 0, names: [`a${_id}`, `b${_id}`] });
          inserted.add(_id);
        }
      };
      const counter = async () => {
        while (running) {
          sent++;
          await counters.updateOne({ _id: 'one' }, { $inc: { n: 1 } }, { upsert: true });
          acknowledged++;
        }
      };
      const clients = [...Array.from({ length: 8 }, inserter), ...Array.from({ length: 4 }, counter)];
      const settled = Promise.allSettled(clients);
      // On a slow machine wait until there is something to lose.
      const enough = inserted.size + 50;
      while (inserted.size < enough) await sleep(20);
      await sleep(Math.random() * 600);
      await store.kill();
      running = false;
      await settled;
      await connection.close(true);
      checkDirectory(directory, inserted, acknowledged, sent);
    }
    expect(inserted.size).toBeGreaterThanOrEqual(50 * ROUNDS);
    console.log(`kill -9: ${ROUNDS} rounds, ${inserted.size} inserts and ${acknowledged} increments kept`);
  });

  // Reads the files directly: what a new process would find.
  function checkDirectory(directory: string, inserted: Set<number>, acknowledged: number, sent: number): void {
    const store = openStore(directory);
    onTestFinished(() => store.close());
    const { catalog } = createEngine(store);
    const docs = catalog.find('embedded.docs');
    const counters = catalog.find('embedded.counters');
    if (!docs || !counters) throw new Error('a collection is missing');
    const ids = new Set([...store.scan(documentRange(docs))].map(({ value }) => decode(value)._id as number));
    expect([...inserted].filter((id) => !ids.has(id))).toEqual([]);
    const count = [...store.scan(documentRange(counters))].map(({ value }) => decode(value).n as number)[0] ?? 0;
    expect(count).toBeGreaterThanOrEqual(acknowledged);
    expect(count).toBeLessThanOrEqual(sent);
    const [index] = docs.indexes;
    if (!index) throw new Error('the index is missing');
    expect(store.count(indexRange(index))).toBe(ids.size * 2);
  }

  it('refuses writes on a full disk, keeps what it acknowledged and goes on', async (context) => {
    const mount = join(freshDirectory(), 'small');
    mkdirSync(mount);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', mount], { stdio: 'pipe' });
    } catch (error) {
      console.warn(`SKIPPED the full disk: mounting a tmpfs is not allowed here (${(error as Error).message.trim()})`);
      context.skip();
    }
    onTestFinished(() => void execFileSync('umount', ['-l', mount]));
    const store = await startEmbedded({ directory: join(mount, 'data') });
    onTestFinished(() => store.close());
    const connection = await connect(store.uri);
    onTestFinished(() => connection.close());
    const docs = connection.collection<{ _id: number; k: number; text: string }>('docs');
    await docs.createIndex({ k: 1 });
    const kept: number[] = [];
    let refusal: Error | undefined;
    for (let n = 0; n < 500 && !refusal; n++) {
      const insert = docs.insertOne({ _id: n, k: n, text: 'x'.repeat(50_000) });
      await insert.then(
        () => kept.push(n),
        (error) => {
          refusal = error;
        },
      );
    }
    // LMDB reports a write that the disk took only in part as an input/output error.
    expect(String(refusal)).toMatch(/No space left|Input\/output error/);
    expect((await docs.find().toArray()).map(({ _id }) => _id)).toEqual(kept);
    expect(await docs.countDocuments({ k: { $gte: 0 } })).toBe(kept.length);
    execFileSync('mount', ['-o', 'remount,size=16m', mount]);
    await docs.insertOne({ _id: -1, k: -1, text: 'y'.repeat(50_000) });
    expect(await docs.countDocuments()).toBe(kept.length + 1);
  });
});
