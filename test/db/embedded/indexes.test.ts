import { describe, expect, it } from 'vitest';
import { type AnyDocument, rejection, useDatabase } from './embedded-fixture.ts';

const database = useDatabase({ ttlSeconds: 1 });
const collectionOf = (name: string) => database.connection.collection<AnyDocument>(name);

describe('a unique index', () => {
  it('refuses a second document with the same value, by name, pattern and value', async () => {
    const users = collectionOf('users');
    await users.createIndex({ email: 1 }, { unique: true });
    await users.insertOne({ email: 'a@b.c' });
    const error = await rejection(users.insertOne({ email: 'a@b.c' }));
    expect(error).toMatchObject({ code: 11000, keyPattern: { email: 1 }, keyValue: { email: 'a@b.c' } });
    expect(error.message).toMatch(/E11000 .*users index: email_1 dup key/);
    const { insertedId } = await users.insertOne({ email: 'd@e.f' });
    const update = users.updateOne({ _id: insertedId }, { $set: { email: 'a@b.c' } });
    expect(await rejection(update)).toMatchObject({ code: 11000 });
    expect(await users.findOne({ _id: insertedId })).toMatchObject({ email: 'd@e.f' });
  });

  it('refuses an _id that exists', async () => {
    const docs = collectionOf('ids');
    await docs.insertOne({ _id: 'x' });
    expect(await rejection(docs.insertOne({ _id: 'x' }))).toMatchObject({ code: 11000, keyPattern: { _id: 1 } });
  });

  it('frees the value when its document is removed or changed', async () => {
    const docs = collectionOf('freed');
    await docs.createIndex({ k: 1 }, { unique: true });
    await docs.insertMany([{ k: 1 }, { k: 2 }]);
    await docs.deleteOne({ k: 1 });
    await docs.updateOne({ k: 2 }, { $set: { k: 3 } });
    await docs.insertMany([{ k: 1 }, { k: 2 }]);
    expect(await docs.countDocuments()).toBe(3);
  });

  it('counts a missing field as one value, unless the index is sparse', async () => {
    const docs = collectionOf('missing');
    await docs.createIndex({ k: 1 }, { unique: true });
    await docs.insertOne({});
    expect(await rejection(docs.insertOne({ k: null }))).toMatchObject({ code: 11000 });
    const sparse = collectionOf('sparse');
    await sparse.createIndex({ k: 1 }, { unique: true, sparse: true });
    await sparse.insertMany([{}, {}, { k: null }]);
    expect(await rejection(sparse.insertOne({ k: null }))).toMatchObject({ code: 11000 });
    expect(await sparse.countDocuments({ k: null })).toBe(3);
  });

  it('over several fields compares them together', async () => {
    const docs = collectionOf('compound');
    await docs.createIndex({ a: 1, b: -1 }, { unique: true });
    await docs.insertMany([
      { a: 1, b: 1 },
      { a: 1, b: 2 },
      { a: 2, b: 1 },
    ]);
    expect(await rejection(docs.insertOne({ a: 1, b: 2 }))).toMatchObject({ keyValue: { a: 1, b: 2 } });
  });

  it('with a partial filter ignores the other documents', async () => {
    const docs = collectionOf('partial');
    await docs.createIndex({ k: 1 }, { unique: true, partialFilterExpression: { open: true } });
    await docs.insertMany([{ k: 1, open: true }, { k: 1, open: false }, { k: 1 }]);
    expect(await rejection(docs.insertOne({ k: 1, open: true }))).toMatchObject({ code: 11000 });
    expect(await docs.countDocuments({ k: 1 })).toBe(3);
    expect(await docs.countDocuments({ k: 1, open: true })).toBe(1);
    expect(await rejection(docs.updateOne({ open: false }, { $set: { open: true } }))).toMatchObject({ code: 11000 });
    await docs.updateOne({ open: true }, { $set: { open: false } });
    await docs.insertOne({ k: 1, open: true });
  });

  it('over an array holds for each element across documents, not within one', async () => {
    const docs = collectionOf('names');
    await docs.createIndex({ space: 1, names: 1 }, { unique: true });
    await docs.insertOne({ space: 's', names: ['a', 'b', 'a'] });
    await docs.insertOne({ space: 't', names: ['a', 'b'] });
    const error = await rejection(docs.insertOne({ space: 's', names: ['c', 'b'] }));
    expect(error).toMatchObject({ code: 11000, keyValue: { space: 's', names: 'b' } });
    const { insertedId } = await docs.insertOne({ space: 's', names: ['c'] });
    const push = docs.updateOne({ _id: insertedId }, { $push: { names: 'a' } as object });
    expect(await rejection(push)).toMatchObject({ code: 11000 });
    await docs.updateOne({ space: 's', names: 'a' }, { $pull: { names: 'a' } as object });
    await docs.updateOne({ _id: insertedId }, { $push: { names: 'a' } as object });
    expect(await docs.findOne({ space: 's', names: 'a' })).toMatchObject({ _id: insertedId });
  });

  it('over an array of documents holds for their field', async () => {
    const docs = collectionOf('holds');
    await docs.createIndex({ 'holds.line': 1 }, { unique: true });
    await docs.insertOne({ holds: [{ line: 1 }, { line: 2 }] });
    expect(await rejection(docs.insertOne({ holds: [{ line: 2 }] }))).toMatchObject({ code: 11000 });
  });

  it('cannot be made over duplicates, and then is not there', async () => {
    const docs = collectionOf('late');
    await docs.insertMany([{ k: 1 }, { k: 1 }]);
    expect(await rejection(docs.createIndex({ k: 1 }, { unique: true }))).toMatchObject({ code: 11000 });
    expect((await docs.indexes()).map(({ name }) => name)).toEqual(['_id_']);
    await docs.insertOne({ k: 1 });
  });
});

describe('indexes', () => {
  it('are listed, dropped by name or key, and made again without complaint', async () => {
    const docs = collectionOf('listed');
    await docs.createIndex({ a: 1, b: -1 }, { name: 'ab', partialFilterExpression: { a: { $gt: 1 } } });
    await docs.createIndex({ a: 1, b: -1 }, { name: 'ab', partialFilterExpression: { a: { $gt: 1 } } });
    await docs.createIndex({ c: 1 }, { sparse: true });
    await docs.createIndex({ d: 1 }, { expireAfterSeconds: 5 });
    expect(await docs.indexes()).toEqual([
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { v: 2, key: { a: 1, b: -1 }, name: 'ab', partialFilterExpression: { a: { $gt: 1 } } },
      { v: 2, key: { c: 1 }, name: 'c_1', sparse: true },
      { v: 2, key: { d: 1 }, name: 'd_1', expireAfterSeconds: 5 },
    ]);
    await docs.dropIndex('ab');
    await docs.dropIndexes();
    expect(await docs.indexes()).toHaveLength(1);
    expect(await rejection(docs.dropIndex('gone'))).toMatchObject({ code: 27 });
    expect(await rejection(collectionOf('never').indexes())).toMatchObject({ code: 26 });
  });

  it('of the same name or keys with other options are a conflict', async () => {
    const docs = collectionOf('conflict');
    await docs.createIndex({ a: 1 });
    expect(await rejection(docs.createIndex({ a: 1 }, { name: 'other' }))).toMatchObject({ code: 85 });
    expect(await rejection(docs.createIndex({ b: 1 }, { name: 'a_1' }))).toMatchObject({ code: 86 });
    expect(await rejection(docs.createIndex({ a: 1 }, { unique: true }))).toMatchObject({ code: 86 });
  });

  it('of kinds outside the subset fail loudly', async () => {
    const docs = collectionOf('kinds');
    for (const [keys, options] of [
      [{ a: 'text' }, {}],
      [{ a: 'hashed' }, {}],
      [{ a: '2dsphere' }, {}],
      [{ '$**': 1 }, {}],
      [{ a: 1 }, { collation: { locale: 'en' } }],
      [{ a: 1 }, { hidden: true }],
      [{ a: 1 }, { partialFilterExpression: { a: { $ne: 1 } } }],
    ] as [Record<string, 1>, object][]) {
      const error = await rejection(docs.createIndex(keys, options));
      expect(error.message).toContain('not supported by the embedded store');
    }
  });

  it('refuse keys they cannot hold', async () => {
    const docs = collectionOf('long');
    await docs.createIndex({ a: 1 });
    await docs.createIndex({ x: 1, y: 1 });
    expect(await rejection(docs.insertOne({ a: 'x'.repeat(3000) }))).toMatchObject({ code: 17280 });
    expect(await rejection(docs.insertOne({ _id: 'x'.repeat(3000) }))).toMatchObject({ code: 17280 });
    expect(await rejection(docs.insertOne({ x: [1, 2], y: [1, 2] }))).toMatchObject({ code: 171 });
    expect(await docs.countDocuments()).toBe(0);
  });
});

describe('a TTL index', () => {
  it('removes expired documents and no others', async () => {
    const docs = collectionOf('ttl');
    const down = collectionOf('ttlDescending');
    await docs.createIndex({ at: 1 }, { expireAfterSeconds: 100 });
    await down.createIndex({ at: -1 }, { expireAfterSeconds: 0 });
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
    const kept = [{ at: ago(50) }, { at: ago(-50) }, { at: 'text' }, { at: 5 }, { at: null }, {}];
    await docs.insertMany([{ at: ago(101) }, { at: [ago(500), ago(-500)] }, ...kept]);
    await down.insertMany([{ at: ago(1) }, { at: ago(1000) }, { at: ago(-50) }, { at: true }, { at: 'text' }]);
    const counts = async () => [await docs.countDocuments(), await down.countDocuments()];
    await expect.poll(counts).toEqual([kept.length, 3]);
    // Later expiries are removed in another round, which removes nothing else.
    await docs.insertOne({ at: ago(101) });
    await down.insertOne({ at: ago(1) });
    await expect.poll(counts).toEqual([kept.length, 3]);
    expect(await docs.countDocuments({ at: { $lte: ago(100) } })).toBe(0);
  });
});
