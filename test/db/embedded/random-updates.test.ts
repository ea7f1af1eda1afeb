import fc from 'fast-check';
import type mongoose from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AnyDocument, connect, useDatabase } from './embedded-fixture.ts';
import { someFields, someUpdate } from './random-queries.ts';
import { clashes, Refused, updated } from './stated-updates.ts';
import type { Fields, Value } from './statement.ts';

const store = useDatabase();
const RUNS = Number(process.env.IMAGEWRIGHT_QUERY_RUNS ?? 100);
/** Another seed each day; a failure prints its own. */
const SEED = Number(process.env.IMAGEWRIGHT_QUERY_SEED ?? Math.floor(Date.now() / 86_400_000));
/** A server to compare with; where it differs from the store, the statement decides. */
const SERVER = process.env.TEST_MONGODB_URI;
let server: mongoose.Connection | undefined;
const deviations: string[] = [];

beforeAll(async () => {
  if (SERVER) server = await connect(SERVER);
});
afterAll(async () => {
  if (server)
    console.log(`the server wrote ${deviations.length} of ${RUNS} otherwise:\n${deviations.slice(0, 20).join('\n')}`);
  await server?.close();
});

interface Calls {
  list: Fields[];
  isUnique: boolean;
  updates: { operator: string; path: string; operand: Value }[];
}

/** Inserts the documents one by one and applies all updates to each; refused ones change nothing. */
async function written(connection: mongoose.Connection, { list, isUnique, updates }: Calls): Promise<unknown[]> {
  const collection = connection.collection<AnyDocument>('written');
  await collection.drop().catch(() => {});
  if (isUnique) await collection.createIndex({ a: 1 }, { unique: true });
  for (const [_id, fields] of list.entries()) await collection.insertOne({ _id, ...fields }).catch(isRefusal);
  for (const { operator, path, operand } of updates)
    for (const _id of list.keys())
      await collection.updateOne({ _id }, { [operator]: { [path]: operand } }).catch(isRefusal);
  return collection.find({}).sort({ _id: 1 }).toArray();
}

/** Passes over what a server refuses; a lost connection is no refusal. */
function isRefusal(error: { name?: string }): void {
  if (error.name !== 'MongoServerError') throw error;
}

function stated({ list, isUnique, updates }: Calls): unknown[] {
  const documents = new Map<number, Fields>();
  const store = (id: number, document: Fields) => {
    const others = [...documents].filter(([other]) => other !== id).map(([, fields]) => fields);
    if (!isUnique || !clashes(document, others, 'a')) documents.set(id, document);
  };
  for (const [id, fields] of list.entries()) store(id, fields);
  for (const { operator, path, operand } of updates)
    for (const [id, document] of documents) {
      try {
        store(id, updated(document, operator, path, operand));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    }
  return [...documents].map(([_id, fields]) => ({ _id, ...fields }));
}

it('random inserts and updates leave what the rules of MongoDB say, also beside a unique index', async () => {
  const calls = fc.record({
    list: fc.array(someFields, { minLength: 1, maxLength: 4 }),
    isUnique: fc.boolean(),
    updates: fc.array(someUpdate, { minLength: 1, maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(calls, async (asked) => {
      const expected = stated(asked);
      expect(await written(store.connection, asked)).toEqual(expected);
      if (!server) return;
      const answer = await written(server, asked).catch((error: Error) => error.message.slice(0, 100));
      if (JSON.stringify(answer) !== JSON.stringify(expected)) deviations.push(JSON.stringify(asked));
    }),
    { numRuns: RUNS, seed: SEED },
  );
});
