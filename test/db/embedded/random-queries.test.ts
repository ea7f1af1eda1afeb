import fc from 'fast-check';
import type mongoose from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, useDatabase } from './embedded-fixture.ts';
import { someFields, someFilter, someIndexes, someSort } from './random-queries.ts';
import { type Fields, matches, orderBy } from './statement.ts';

const store = useDatabase();
const RUNS = Number(process.env.IMAGEWRIGHT_QUERY_RUNS ?? 150);
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
    console.log(
      `the server answered ${deviations.length} of ${RUNS} otherwise:\n${deviations.slice(0, 20).join('\n')}`,
    );
  await server?.close();
});

type Stored = Fields & { _id: number };

/** Stores documents with their indexes in a fresh collection; null if an index refuses them (two arrays in one entry). */
async function fill(connection: mongoose.Connection, documents: Stored[], indexes: Record<string, 1 | -1>[]) {
  const collection = connection.collection<{ _id: number }>('random');
  await collection.drop().catch(() => {});
  const [plain, indexed] = [connection.collection<{ _id: number }>('plain'), collection];
  await plain.deleteMany({});
  for (const key of indexes) await indexed.createIndex(key);
  try {
    await indexed.insertMany(documents);
    return indexed;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 171 && !server) throw error;
    if (documents.length > 0) await plain.insertMany(documents);
    return plain;
  }
}

async function answerOf(connection: mongoose.Connection, { documents, indexes, filter, sort }: Question) {
  const collection = await fill(connection, documents, indexes);
  const found = (await collection.find(filter as object).toArray()).map(({ _id }) => _id).sort((a, b) => a - b);
  const sorted = await collection
    .find(filter as object)
    .sort({ ...sort, _id: 1 })
    .toArray();
  const removed = (await collection.deleteMany(filter as object)).deletedCount;
  return { found, sorted: sorted.map(({ _id }) => _id), removed };
}

interface Question {
  documents: Stored[];
  indexes: Record<string, 1 | -1>[];
  filter: Fields;
  sort: Record<string, 1 | -1>;
}

function statedAnswer({ documents, filter, sort }: Question) {
  const found = documents.filter((document) => matches(document, filter));
  const sorted = [...found].sort((one, other) => orderBy(sort)(one, other) || one._id - other._id);
  return { found: found.map(({ _id }) => _id), sorted: sorted.map(({ _id }) => _id), removed: found.length };
}

it('random documents, filters, sorts and indexes give what the rules of MongoDB say', async () => {
  const question = fc.record({
    list: fc.array(someFields, { minLength: 1, maxLength: 8 }),
    indexes: someIndexes,
    filter: someFilter,
    sort: someSort,
  });
  await fc.assert(
    fc.asyncProperty(question, async ({ list, ...rest }) => {
      const asked = { ...rest, documents: list.map((fields, _id) => ({ _id, ...fields })) };
      const stated = statedAnswer(asked);
      expect(await answerOf(store.connection, asked)).toEqual(stated);
      if (!server) return;
      const answer = await answerOf(server, asked).catch((error: Error) => error.message.slice(0, 100));
      if (JSON.stringify(answer) !== JSON.stringify(stated))
        deviations.push(`${JSON.stringify(asked.filter)} ${JSON.stringify(asked.sort)}`);
    }),
    { numRuns: RUNS, seed: SEED },
  );
});
