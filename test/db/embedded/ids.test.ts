import { describe, expect, it } from 'vitest';
import { rejection, useDatabase } from './embedded-fixture.ts';

const database = useDatabase({ golden: true });
const run = (command: object) => database.connection.db?.command(command as never) as Promise<Record<string, never>>;
const find = async (collection: string, filter: object) =>
  ((await run({ find: collection, filter })) as never as { cursor: { firstBatch: object[] } }).cursor.firstBatch;

describe('_id', () => {
  it('may be null, and is found by its value', async () => {
    await run({ insert: 'nulls', documents: [{ _id: null, a: 1 }, { _id: 1 }] });
    for (const condition of [null, { $in: [null] }])
      expect(await find('nulls', { _id: condition }), JSON.stringify(condition)).toEqual([{ _id: null, a: 1 }]);
  });

  it('may be asked for that is longer than any that is stored', async () => {
    await run({ insert: 'short', documents: [{ _id: 'a' }] });
    const long = 'x'.repeat(5000);
    expect(await find('short', { _id: long })).toEqual([]);
    expect(await find('short', { _id: { $in: [long, 'a'] } })).toEqual([{ _id: 'a' }]);
  });

  it('is null after an upsert whose filter says so', async () => {
    const updates = [{ q: { _id: null }, u: { $set: { b: 1 } }, upsert: true }];
    expect(await run({ update: 'upserts', updates })).toMatchObject({ upserted: [{ index: 0, _id: null }] });
    expect(await find('upserts', { _id: null })).toEqual([{ _id: null, b: 1 }]);
    expect(await run({ update: 'upserts', updates })).toMatchObject({ n: 1, nModified: 0 });
  });

  it.each([{ $a: 1 }, { a: { $b: 1 } }, { a: [{ $c: 1 }] }])('may not contain a $ key: %j', async (id) => {
    const inserted = (await run({ insert: 'dollars', documents: [{ _id: id }] })) as never as {
      writeErrors: { code: number }[];
    };
    expect(inserted.writeErrors).toMatchObject([{ code: 52 }]);
    expect(await find('dollars', {})).toEqual([]);
  });
});

it('an aggregate of the whole database is refused as unsupported', async () => {
  if (process.env.TEST_MONGODB_URI) return; // a real server runs it
  const error = await rejection(run({ aggregate: 1, pipeline: [{ $documents: [{ a: 1 }] }], cursor: {} }));
  expect(error).toMatchObject({ code: 115 });
});
