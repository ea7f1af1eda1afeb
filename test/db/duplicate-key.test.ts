import { expect, it } from 'vitest';
import { allStored, unlessDuplicate } from '../../server/db/collection.ts';
import { type AnyDocument, useDatabase } from './embedded/embedded-fixture.ts';

const database = useDatabase({ golden: true });

it('a write that meets one of its unique values comes to something else, and to an error where anything else is wrong', async () => {
  const docs = database.connection.collection<AnyDocument>('unique');
  await docs.createIndex({ name: 1 }, { unique: true });
  const insert = (doc: AnyDocument) =>
    unlessDuplicate(
      docs.insertOne(doc).then(() => true),
      false,
    );
  expect(await insert({ _id: 1, name: 'a' })).toBe(true);
  expect(await insert({ _id: 1, name: 'b' })).toBe(false);
  expect(await insert({ _id: 2, name: 'a' })).toBe(false);

  const update = (set: object) => unlessDuplicate(docs.findOneAndUpdate({ _id: 3 }, set, { upsert: true }), 'taken');
  expect(await update({ $set: { name: 'a' } })).toBe('taken');
  expect(await update({ $set: { name: 'c' } })).toBeNull();
  await expect(update({ $inc: { name: 1 } })).rejects.toMatchObject({ name: 'MongoServerError', code: 14 });
  expect(await docs.countDocuments()).toBe(2);
});

it('of many writes, those that were there before are told from all other errors', async () => {
  const docs = database.connection.collection<AnyDocument>('many');
  const insert = (...ids: (number | number[])[]) =>
    allStored(
      docs.insertMany(
        ids.map((_id) => ({ _id })),
        { ordered: false },
      ),
    );
  expect(await insert(1, 2)).toBe(true);
  expect(await insert(2, 3)).toBe(false);
  expect(await insert(1, 2, 3, 4)).toBe(false);
  await expect(insert(4, [5])).rejects.toMatchObject({ name: 'MongoBulkWriteError' });
  expect(await docs.countDocuments()).toBe(4);
});
