import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { SUPPORTED } from '../../../server/db/embedded/index.ts';
import { type AnyDocument, rejection, useDatabase } from './embedded-fixture.ts';

const database = useDatabase();
const collectionOf = (name: string) => database.connection.collection<AnyDocument>(name);
const numbers = (count: number) => Array.from({ length: count }, (_, n) => ({ _id: n, n, half: n / 2 }));

describe('insert', () => {
  it('reports each refused document, ordered up to the first, unordered all', async () => {
    const docs = collectionOf('inserted');
    const batch = [{ _id: 1 }, { _id: 1 }, { _id: 2 }, { _id: 2 }];
    const ordered = await rejection(docs.insertMany(batch, { ordered: true }));
    expect(ordered).toMatchObject({ code: 11000, insertedCount: 1, writeErrors: [{ index: 1 }] });
    const unordered = await rejection(docs.insertMany(batch, { ordered: false }));
    expect(unordered).toMatchObject({ insertedCount: 1, writeErrors: [{ index: 0 }, { index: 1 }, { index: 3 }] });
    expect(await docs.countDocuments()).toBe(2);
  });

  it('keeps every type that documents use', async () => {
    const { Binary, Decimal128, Long, ObjectId, UUID } = mongoose.mongo.BSON;
    const docs = collectionOf('types');
    const doc = {
      _id: new ObjectId(),
      double: 1.5,
      int: 7,
      text: 'ä€😀\0end',
      nothing: null,
      yes: true,
      at: new Date(5),
      bytes: new Binary(Buffer.from([1, 2])),
      uuid: new UUID(),
      long: Long.fromString('9007199254740993'),
      decimal: Decimal128.fromString('1.10'),
      nested: { list: [1, { a: [] }] },
    };
    await docs.insertOne(doc);
    await docs.updateOne({ _id: doc._id }, { $set: { added: 1 } });
    expect(await docs.findOne({ text: doc.text })).toEqual({ ...doc, added: 1 });
  });

  it('puts _id first and makes one when it is missing', async () => {
    const docs = collectionOf('first');
    await docs.insertOne({ a: 1, _id: 'x' });
    expect(Object.keys((await docs.findOne()) ?? {})).toEqual(['_id', 'a']);
    await database.connection.db?.command({ insert: 'first', documents: [{ a: 2 }] });
    expect((await docs.findOne({ a: 2 }))?._id).toBeInstanceOf(mongoose.mongo.ObjectId);
    expect(await rejection(docs.insertOne({ _id: [1] }))).toMatchObject({ code: 2 });
  });
});

describe('find', () => {
  it('sorts, skips and limits', async () => {
    const docs = collectionOf('sorted');
    await docs.insertMany(numbers(20));
    const found = await docs
      .find({ n: { $gte: 5 } })
      .sort({ half: -1 })
      .skip(2)
      .limit(3)
      .toArray();
    expect(found.map(({ n }) => n)).toEqual([17, 16, 15]);
    const mixed = await docs
      .find({ n: { $lt: 4 } })
      .sort({ half: 1, n: -1 })
      .toArray();
    expect(mixed.map(({ n }) => n)).toEqual([0, 1, 2, 3]);
    expect(await rejection(docs.find().sort({ n: 1 }).skip(-1).toArray())).toMatchObject({ code: 2 });
  });

  it('projects by inclusion or exclusion, also in arrays of documents', async () => {
    const docs = collectionOf('projected');
    await docs.insertOne({ _id: 1, a: { b: 1, c: 2 }, l: [{ x: 1, y: 2 }, 5], z: 3 });
    const project = (projection: object) => docs.findOne({}, { projection });
    expect(await project({ 'a.b': 1, 'l.x': 1 })).toEqual({ _id: 1, a: { b: 1 }, l: [{ x: 1 }] });
    expect(await project({ a: 1, _id: 0 })).toEqual({ a: { b: 1, c: 2 } });
    expect(await project({ 'a.b': 0, 'l.x': 0, z: 0 })).toEqual({ _id: 1, a: { c: 2 }, l: [{ y: 2 }, 5] });
    expect(await project({ _id: 0 })).toEqual({ a: { b: 1, c: 2 }, l: [{ x: 1, y: 2 }, 5], z: 3 });
    expect(await project({ _id: 1 })).toEqual({ _id: 1 });
    expect(await rejection(project({ a: 1, z: 0 }))).toMatchObject({ code: 31254 });
    expect((await rejection(project({ l: { $slice: 1 } }))).message).toContain('not supported by the embedded store');
    expect((await rejection(project({ 'l.$': 1 }))).message).toContain('not supported by the embedded store');
  });

  it('gives large results in batches, on the state of its first step', async () => {
    const docs = collectionOf('batched');
    await docs.insertMany(numbers(1000));
    const cursor = docs.find().batchSize(100);
    const seen: unknown[] = [(await cursor.next())?.n];
    await docs.deleteMany({ n: { $gte: 500 } });
    for await (const doc of cursor) seen.push(doc.n);
    expect(seen).toEqual(numbers(1000).map(({ n }) => n));
    expect(await docs.countDocuments()).toBe(500);
  });

  it('ends a cursor that is closed', async () => {
    const docs = collectionOf('killed');
    await docs.insertMany(numbers(300));
    const db = database.connection.db as NonNullable<typeof database.connection.db>;
    const { cursor } = await db.command({ find: 'killed', batchSize: 10 });
    expect(cursor.firstBatch).toHaveLength(10);
    const killed = await db.command({ killCursors: 'killed', cursors: [cursor.id] });
    expect(killed.cursorsKilled).toHaveLength(1);
    const more = db.command({ getMore: cursor.id, collection: 'killed' });
    expect(await rejection(more)).toMatchObject({ code: 43 });
  });

  it('keeps a reply within the message size', async () => {
    const docs = collectionOf('wide');
    const text = 'x'.repeat(3_000_000);
    for (let n = 0; n < 8; n++) await docs.insertOne({ n, text });
    const found = await docs.find().toArray();
    expect(found.map((doc) => (doc.text as string).length)).toEqual(Array(8).fill(3_000_000));
    expect(await rejection(docs.updateMany({}, { $set: { more: 'y'.repeat(14_000_000) } }))).toMatchObject({
      code: 10334,
    });
  });
});

describe('findAndModify', () => {
  it('returns the document before or after, sorted and projected, or removes it', async () => {
    const docs = collectionOf('modified');
    await docs.insertMany(numbers(3));
    expect(await docs.findOneAndUpdate({}, { $inc: { n: 10 } }, { sort: { n: -1 } })).toMatchObject({ n: 2 });
    const options = { returnDocument: 'after', projection: { n: 1 } } as const;
    expect(await docs.findOneAndUpdate({ _id: 2 }, { $inc: { n: 1 } }, options)).toEqual({ _id: 2, n: 13 });
    expect(await docs.findOneAndReplace({ _id: 2 }, { r: 1 }, { returnDocument: 'after' })).toEqual({ _id: 2, r: 1 });
    expect(await docs.findOneAndDelete({ _id: 2 })).toEqual({ _id: 2, r: 1 });
    expect(await docs.findOneAndDelete({ _id: 2 })).toBeNull();
    expect(await docs.findOneAndUpdate({ _id: 9 }, { $inc: { n: 1 } })).toBeNull();
  });

  it('upserts', async () => {
    const docs = collectionOf('upserted');
    const options = { upsert: true, returnDocument: 'after', includeResultMetadata: true } as const;
    const first = await docs.findOneAndUpdate({ _id: 'k' }, { $inc: { n: 1 }, $setOnInsert: { made: 1 } }, options);
    expect(first).toMatchObject({ value: { _id: 'k', n: 1, made: 1 }, lastErrorObject: { updatedExisting: false } });
    const second = await docs.findOneAndUpdate({ _id: 'k' }, { $inc: { n: 1 }, $setOnInsert: { made: 2 } }, options);
    expect(second).toMatchObject({ value: { n: 2, made: 1 }, lastErrorObject: { updatedExisting: true } });
    expect(await docs.findOneAndUpdate({ _id: 'l' }, { $set: { n: 1 } }, { upsert: true })).toBeNull();
  });
});

describe('count, delete', () => {
  it('work with a filter, skip and limit', async () => {
    const docs = collectionOf('counted');
    await docs.insertMany([...numbers(10), { _id: 'x', n: [3, 100], d: { e: 'q' } }]);
    expect(await docs.countDocuments({ n: { $gt: 5 } })).toBe(5);
    expect(await docs.countDocuments({}, { skip: 2, limit: 5 })).toBe(5);
    expect(await docs.countDocuments({ n: 77 })).toBe(0);
    expect(await docs.estimatedDocumentCount()).toBe(11);
    expect((await docs.deleteOne({ n: { $lt: 5 } })).deletedCount).toBe(1);
    expect((await docs.deleteMany({ n: { $lt: 5 } })).deletedCount).toBe(5);
    expect((await docs.deleteMany({})).deletedCount).toBe(5);
    expect((await collectionOf('never').deleteMany({})).deletedCount).toBe(0);
  });
});

describe('collections', () => {
  it('are made by the first write or by name, listed and dropped', async () => {
    const db = database.connection.useDb('other').db as NonNullable<typeof database.connection.db>;
    await db.createCollection('made');
    await db.collection('written').insertOne({});
    expect(await rejection(db.command({ create: 'made' }))).toMatchObject({ code: 48 });
    const names = async () =>
      (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
    expect(await names()).toEqual(['made', 'written']);
    expect(await db.listCollections({ name: 'made' }).toArray()).toMatchObject([{ type: 'collection', options: {} }]);
    await db.dropCollection('made');
    await db.collection('written').createIndex({ k: 1 }, { unique: true });
    await db.collection('written').insertOne({ k: 1 });
    await db.dropCollection('written');
    await db.collection('written').insertMany([{ k: 1 }, { k: 1 }]);
    await db.dropDatabase();
    expect(await names()).toEqual([]);
  });
});

describe('everything else', () => {
  it('fails loudly', async () => {
    const db = database.connection.db as NonNullable<typeof database.connection.db>;
    await db.collection('loud').insertOne({ a: 1 });
    const refused: Record<string, unknown>[] = [
      { mapReduce: 'loud' },
      { distinct: 'loud', key: 'a' },
      { collMod: 'loud' },
      { explain: { find: 'loud' } },
      { toString: 1 },
      { find: 'loud', collation: { locale: 'en' } },
      { find: 'loud', tailable: true },
      { find: 'loud', let: { x: 1 } },
      { update: 'loud', updates: [{ q: {}, u: { $set: { a: 2 } }, collation: { locale: 'en' } }] },
      { create: 'capped', capped: true, size: 1000 },
      { find: 'loud', sort: { score: { $meta: 'textScore' } } },
    ];
    for (const command of refused) {
      const result = await db.command(command).catch((error: Error) => error);
      const message = result instanceof Error ? result.message : JSON.stringify(result);
      expect(message, JSON.stringify(command)).toContain('not supported by the embedded store');
    }
    const session = await database.connection.startSession();
    const transaction = session.withTransaction(() => db.collection('loud').insertOne({ b: 1 }, { session }));
    await rejection(transaction);
    await session.endSession();
    expect(
      await db
        .collection('loud')
        .find({}, { projection: { _id: 0 } })
        .toArray(),
    ).toEqual([{ a: 1 }]);
  });

  it('is what the table does not name', async () => {
    const db = database.connection.db as NonNullable<typeof database.connection.db>;
    const words = (list: string) => list.split(' ').filter((word) => !['', '$'].includes(word));
    const unsupported = async (command: Record<string, unknown>) => {
      const result = await db.command(command).catch((error: Error) => error);
      return (
        result instanceof Error && /^the (command|query operator|update operator|aggregation)/.test(result.message)
      );
    };
    for (const name of Object.keys(SUPPORTED.commands)) expect(await unsupported({ [name]: 1 }), name).toBe(false);
    for (const name of words(SUPPORTED.queryOperators)) {
      const top = ['$and', '$or'].includes(name);
      const filter = top ? { [name]: [{}] } : { a: { [name]: 1 } };
      expect(await unsupported({ find: 'table', filter }), name).toBe(false);
    }
    for (const name of words(SUPPORTED.updateOperators)) {
      const updates = [{ q: {}, u: { [name]: { a: 1 } }, upsert: true }];
      expect(await unsupported({ update: 'table', updates }), name).toBe(false);
    }
    for (const name of words(SUPPORTED.stages))
      expect(await unsupported({ aggregate: 'table', pipeline: [{ [name]: {} }], cursor: {} }), name).toBe(false);
  });
});

describe('a driver', () => {
  it('sees a standalone server and its version', async () => {
    const db = database.connection.db as NonNullable<typeof database.connection.db>;
    const hello = await db.command({ hello: 1 });
    expect(hello).toMatchObject({ isWritablePrimary: true, ok: 1 });
    expect(hello.setName ?? hello.msg ?? hello.logicalSessionTimeoutMinutes).toBeUndefined();
    expect(await db.command({ buildInfo: 1 })).toMatchObject({ version: '7.0.14' });
    expect(await db.command({ connectionStatus: 1 })).toMatchObject({ ok: 1 });
    expect(await db.command({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  it('runs mongoose models with versions, timestamps, populate and bulkWrite', async () => {
    const { connection } = database;
    const Author = connection.model('Author', new mongoose.Schema({ name: { type: String, unique: true } }));
    const schema = new mongoose.Schema(
      {
        title: String,
        author: { type: mongoose.Schema.Types.ObjectId, ref: 'Author' },
        tags: [String],
        parts: [{ n: Number }],
      },
      { timestamps: true, optimisticConcurrency: true },
    );
    const Book = connection.model('Book', schema);
    await Promise.all([Author.init(), Book.init()]);
    const author = await Author.create({ name: 'Ada' });
    const book = await Book.create({ title: 'One', author: author._id, tags: ['a', 'b'], parts: [{ n: 1 }, { n: 2 }] });
    const stale = await Book.findById(book._id);
    book.tags = ['b'];
    book.set('parts', [{ n: 2 }]);
    book.title = 'Two';
    await book.save();
    const read = await Book.findOne({ title: 'Two' }).populate<{ author: { name: string } }>('author').orFail();
    expect(read).toMatchObject({ author: { name: 'Ada' }, __v: 1 });
    expect([...read.tags, ...read.parts.map(({ n }) => n)]).toEqual(['b', 2]);
    expect(Number(read.get('updatedAt'))).toBeGreaterThanOrEqual(Number(read.get('createdAt')));
    stale?.set('title', 'Three');
    expect((await rejection(stale?.save() ?? Promise.resolve())).name).toBe('VersionError');
    const result = await Book.bulkWrite([
      { insertOne: { document: { title: 'Bulk' } } },
      { updateOne: { filter: { title: 'Bulk' }, update: { $push: { tags: 'x' } } } },
      { updateOne: { filter: { title: 'New' }, update: { $set: { tags: [] } }, upsert: true } },
      { deleteOne: { filter: { title: 'Two' } } },
    ]);
    expect(result).toMatchObject({ insertedCount: 1, modifiedCount: 1, upsertedCount: 1, deletedCount: 1 });
    expect(await Author.syncIndexes()).toEqual([]);
  });
});
