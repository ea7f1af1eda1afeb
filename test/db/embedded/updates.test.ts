import type { UpdateOptions } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { type AnyDocument, rejection, useDatabase } from './embedded-fixture.ts';

const database = useDatabase({ golden: true });

type Case = [before: object, update: object, after: object | number, options?: UpdateOptions, filter?: object];

const items = [
  { id: 1, n: 1 },
  { id: 2, n: 2 },
];

const CASES: Case[] = [
  [{ a: 1 }, { $set: { a: 2 } }, { a: 2 }],
  [{}, { $set: { 'a.b.c': 1 } }, { a: { b: { c: 1 } } }],
  [{ a: [1, 2] }, { $set: { 'a.1': 5 } }, { a: [1, 5] }],
  [{ a: [1] }, { $set: { 'a.3': 5 } }, { a: [1, null, null, 5] }],
  [{ a: 1 }, { $set: { 'a.b': 1 } }, 28],
  [{ a: [1] }, { $set: { 'a.b': 1 } }, 28],
  [{ a: 1 }, { $set: { a: 1, 'a.b': 2 } }, 40],
  [{ a: 1 }, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
  [{ a: 1 }, { $set: { _id: 'other' } }, 66],
  [{ a: 1, b: 2 }, { $unset: { a: '' } }, { b: 2 }],
  [{ a: { b: 1, c: 2 } }, { $unset: { 'a.b': '' } }, { a: { c: 2 } }],
  [{ a: [1, 2] }, { $unset: { 'a.0': '' } }, { a: [null, 2] }],
  [{ a: 1 }, { $unset: { 'x.y': '' } }, { a: 1 }],
  [{ a: 1 }, { $setOnInsert: { b: 1 } }, { a: 1 }],
  [{ a: 1 }, { $inc: { a: 2, b: -1 } }, { a: 3, b: -1 }],
  [{ a: 'x' }, { $inc: { a: 1 } }, 14],
  [{ a: null }, { $inc: { a: 1 } }, 14],
  [{ a: 1 }, { $inc: { a: 'x' } }, 14],
  [{ a: 5 }, { $min: { a: 3 }, $max: { b: 7 } }, { a: 3, b: 7 }],
  [{ a: 5 }, { $min: { a: 9 } }, { a: 5 }],
  [{ a: 5 }, { $max: { a: 'text' } }, { a: 'text' }],
  [{}, { $push: { a: 1 } }, { a: [1] }],
  [{ a: [1] }, { $push: { a: { $each: [2, 3] } } }, { a: [1, 2, 3] }],
  [{ a: 1 }, { $push: { a: 1 } }, 2],
  [{ a: [1] }, { $push: { a: { $each: 1 } } }, 2],
  [{ a: [1, 2, 1] }, { $pull: { a: 1 } }, { a: [2] }],
  [{ a: [1, 2, 3] }, { $pull: { a: { $in: [1, 3] } } }, { a: [2] }],
  [{ a: [1, 2, 3] }, { $pull: { a: { $gte: 2 } } }, { a: [1] }],
  [{ a: items }, { $pull: { a: { id: 1 } } }, { a: [{ id: 2, n: 2 }] }],
  [{ a: items }, { $pull: { a: { id: { $in: [1, 2] }, n: { $gt: 1 } } } }, { a: [{ id: 1, n: 1 }] }],
  [{ a: ['x', 'y'] }, { $pull: { a: /^x/ } }, { a: ['y'] }],
  [{ a: [[1], [2]] }, { $pull: { a: [1] } }, { a: [[2]] }],
  [{}, { $pull: { a: 1 } }, {}],
  [{ a: 1 }, { $pull: { a: 1 } }, 2],
  [
    { a: items },
    { $set: { 'a.$.n': 9 } },
    {
      a: [
        { id: 1, n: 1 },
        { id: 2, n: 9 },
      ],
    },
    {},
    { 'a.id': 2 },
  ],
  [
    { a: items },
    { $set: { 'a.$.n': 9 } },
    {
      a: [
        { id: 1, n: 1 },
        { id: 2, n: 9 },
      ],
    },
    {},
    { a: { $elemMatch: { id: 2, n: 2 } } },
  ],
  [{ a: [1, 2, 3] }, { $inc: { 'a.$': 10 } }, { a: [1, 12, 3] }, {}, { a: { $gt: 1 } }],
  [{ a: items }, { $set: { 'a.$.n': 9 } }, 2],
  [{ a: 1 }, { $set: { 'a.': 1 } }, 56],
];

const UPSERTS: [filter: object, update: object, after: object | number][] = [
  [{ k: 1 }, { $set: { a: 1 }, $setOnInsert: { b: 2 } }, { k: 1, a: 1, b: 2 }],
  [{ k: { $eq: 1 }, n: { $gt: 5 } }, { $inc: { c: 1 } }, { k: 1, c: 1 }],
  [{ $and: [{ k: 1 }, { 'x.y': 2 }] }, { $push: { l: 1 } }, { k: 1, x: { y: 2 }, l: [1] }],
  [{ k: 1 }, { $set: { k: 2 } }, { k: 2 }],
  [{ _id: 'given' }, { $set: { a: 1 } }, { _id: 'given', a: 1 }],
  [{ _id: 'given' }, { $set: { _id: 'other' } }, 66],
];

describe('an update', () => {
  it.each(CASES)('of %j by %j makes %j', async (before, update, after, options = {}, filter = {}) => {
    const collection = database.connection.collection<{ _id: string }>('updates');
    await collection.deleteMany({});
    await collection.insertOne({ _id: 'it', ...before });
    const run = collection.updateOne({ _id: 'it', ...filter }, update, options);
    if (typeof after === 'number') expect((await rejection(run)).code).toBe(after);
    else expect((await run).matchedCount).toBe(1);
    const expected = typeof after === 'number' ? before : after;
    expect(await collection.findOne({ _id: 'it' })).toEqual({ _id: 'it', ...expected });
  });

  it.each(UPSERTS)('upserts by %j and %j: %j', async (filter, update, after) => {
    const collection = database.connection.collection('upserts');
    await collection.deleteMany({});
    const run = collection.updateOne(filter, update, { upsert: true });
    if (typeof after === 'number') {
      expect((await rejection(run)).code).toBe(after);
      expect(await collection.countDocuments()).toBe(0);
      return;
    }
    const { upsertedId, upsertedCount, matchedCount } = await run;
    expect({ upsertedCount, matchedCount }).toEqual({ upsertedCount: 1, matchedCount: 0 });
    const { _id, ...found } = (await collection.findOne({})) ?? {};
    expect(_id).toEqual(upsertedId);
    expect('_id' in after ? { _id, ...found } : found).toEqual(after);
  });

  it('counts what it matched and what it changed', async () => {
    const collection = database.connection.collection('counted');
    await collection.deleteMany({});
    await collection.insertMany([{ a: 1 }, { a: 2 }, { a: 2 }]);
    const result = await collection.updateMany({}, { $set: { a: 2 } });
    expect([result.matchedCount, result.modifiedCount]).toEqual([3, 1]);
  });

  it('replaces a document but keeps its _id', async () => {
    const collection = database.connection.collection<AnyDocument>('replaced');
    await collection.deleteMany({});
    await collection.insertOne({ _id: 'it', a: 1 });
    await collection.replaceOne({ a: 1 }, { b: 2 });
    expect(await collection.findOne()).toEqual({ _id: 'it', b: 2 });
    expect((await rejection(collection.replaceOne({}, { _id: 'other' }))).code).toBe(66);
    await collection.replaceOne({ _id: 'new' }, { a: 5 }, { upsert: true });
    expect(await collection.findOne({ _id: 'new' })).toEqual({ _id: 'new', a: 5 });
  });

  it.skipIf(process.env.TEST_MONGODB_URI)('outside the subset fails loudly and changes nothing', async () => {
    const collection = database.connection.collection('loud');
    await collection.deleteMany({});
    await collection.insertOne({ a: 1, l: [2, 1] });
    const refused: object[] = [
      { $mul: { a: 2 } },
      { $rename: { a: 'b' } },
      { $currentDate: { a: true } },
      { $bit: { a: { or: 1 } } },
    ];
    refused.push({ $push: { l: { $each: [1], $sort: 1 } } }, { $push: { l: { $each: [1], $slice: 1 } } });
    refused.push({ $addToSet: { l: 1 } }, { $set: { 'l.$[]': 1 } }, [{ $set: { a: 2 } }]);
    for (const update of refused) {
      for (const write of ['updateOne', 'updateMany'] as const)
        expect(await rejection(collection[write]({}, update))).toMatchObject({
          code: 115,
          message: expect.stringContaining('not supported by the embedded store'),
        });
    }
    expect(await collection.findOne({}, { projection: { _id: 0 } })).toEqual({ a: 1, l: [2, 1] });
  });
});
