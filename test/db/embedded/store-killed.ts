import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { decode } from '../../../server/db/embedded/bson-codec.ts';
import { documentRange, indexRange } from '../../../server/db/embedded/catalog.ts';
import { createEngine } from '../../../server/db/embedded/engine.ts';
import { openStore } from '../../../server/db/embedded/store.ts';
import { startChildStore } from './child-store.ts';
import { connect, freshDirectory } from './embedded-fixture.ts';

/** Defines a test that kills the process of a store `rounds` times while clients write. */
export function testKilledStore(rounds: number): void {
  it(`a store keeps every acknowledged write over ${rounds} rounds of kill -9`, {
    timeout: 300_000 + rounds * 100_000,
  }, async () => {
    const directory = freshDirectory();
    const inserted = new Set<number>();
    let sequence = 0;
    let sent = 0;
    let acknowledged = 0;
    for (let round = 0; round < rounds; round++) {
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
    expect(inserted.size).toBeGreaterThanOrEqual(50 * rounds);
    console.log(`kill -9: ${rounds} rounds, ${inserted.size} inserts and ${acknowledged} increments kept`);
  });
}

/** Compares what is in the files, as a new process would find it, with what was acknowledged. */
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
