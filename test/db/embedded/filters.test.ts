import { Binary, Long, ObjectId } from 'bson';
import { beforeAll, describe, expect, it } from 'vitest';
import { rejection, useDatabase } from './embedded-fixture.ts';

const database = useDatabase({ golden: true });
const id = new ObjectId('64b000000000000000000001');
const day = new Date('2024-05-01T00:00:00Z');

// Documents by _id; every case names the ones it finds.
const DOCUMENTS: Record<string, object> = {
  missing: {},
  null: { a: null },
  one: { a: 1 },
  two: { a: 2 },
  half: { a: 0.5 },
  text: { a: 'one' },
  upper: { a: 'One more' },
  yes: { a: true },
  no: { a: false },
  id: { a: id },
  day: { a: day },
  bytes: { a: new Binary(Buffer.from([0xff, 1])) },
  otherBytes: { a: new Binary(Buffer.from([0xfe, 1])) },
  doc: { a: { b: 1, c: 2 } },
  docSwapped: { a: { c: 2, b: 1 } },
  docNull: { a: { b: null } },
  docEmpty: { a: {} },
  list: { a: [1, 2, 3] },
  listEmpty: { a: [] },
  listText: { a: ['one', 'two'] },
  listNull: { a: [null] },
  listNested: { a: [[1, 2]] },
  docs: {
    a: [
      { b: 1, c: 5 },
      { b: 3, c: 2 },
    ],
  },
  docsPartly: { a: [{ b: 1 }, { c: 1 }] },
  huge: { a: Long.fromString('9007199254740993') },
};
const not = (...names: string[]) => Object.keys(DOCUMENTS).filter((name) => !names.includes(name));

const CASES: [filter: object, found: string[]][] = [
  [{}, not()],
  [{ a: 1 }, ['one', 'list']],
  [{ a: { $eq: 1 } }, ['one', 'list']],
  [{ a: Long.fromNumber(1) }, ['one', 'list']],
  [{ a: Long.fromString('9007199254740993') }, ['huge']],
  [{ a: 9007199254740992 }, []],
  [{ a: { $gt: 9007199254740992 } }, ['huge']],
  [{ a: null }, ['missing', 'null', 'listNull']],
  [{ a: { $eq: null } }, ['missing', 'null', 'listNull']],
  [{ a: { $ne: null } }, not('missing', 'null', 'listNull')],
  [{ a: { $exists: true } }, not('missing')],
  [{ a: { $exists: false } }, ['missing']],
  [{ a: { $in: [null, 2] } }, ['missing', 'null', 'two', 'list', 'listNull']],
  [{ a: { $in: [] } }, []],
  [{ a: { $in: [/^one$/, true] } }, ['text', 'yes', 'listText']],
  [{ a: { $nin: [1, null] } }, not('missing', 'null', 'one', 'list', 'listNull')],
  [{ a: { $ne: 1 } }, not('one', 'list')],
  [{ a: 'one' }, ['text', 'listText']],
  [{ a: true }, ['yes']],
  [{ a: false }, ['no']],
  [{ a: id }, ['id']],
  [{ a: new ObjectId('64b000000000000000000002') }, []],
  [{ a: day }, ['day']],
  [{ a: { $gte: day } }, ['day']],
  [{ a: { $lt: day } }, []],
  [{ a: new Binary(Buffer.from([0xff, 1])) }, ['bytes']],
  [{ a: { b: 1, c: 2 } }, ['doc']],
  [{ a: { c: 2, b: 1 } }, ['docSwapped']],
  [{ a: {} }, ['docEmpty']],
  [{ a: [1, 2, 3] }, ['list']],
  [{ a: [1, 2] }, ['listNested']],
  [{ a: [] }, ['listEmpty']],
  [{ a: { $gt: 1 } }, ['two', 'list', 'huge']],
  [{ a: { $gte: 1, $lt: 2 } }, ['one', 'list']],
  [{ a: { $gt: 2, $lt: 2 } }, ['list']],
  [{ a: { $lte: 0.5 } }, ['half']],
  [{ a: { $gt: 'oo' } }, ['listText']],
  [{ a: { $gte: null } }, ['missing', 'null', 'listNull']],
  [{ a: { $gt: null } }, []],
  [{ 'a.b': 1 }, ['doc', 'docSwapped', 'docs', 'docsPartly']],
  [{ 'a.b': { $gt: 2 } }, ['docs']],
  [{ 'a.b': { $exists: true } }, ['doc', 'docSwapped', 'docNull', 'docs', 'docsPartly']],
  [{ 'a.1': 2 }, ['list']],
  [{ 'a.0.b': 1 }, ['docs', 'docsPartly']],
  [{ 'a.0': 1 }, ['list']],
  [{ 'a.0': [1, 2] }, ['listNested']],
  [{ 'a.0': [[1, 2]] }, []],
  [{ 'a.0': { $gt: 1 } }, []],
  [{ 'a.0': { $in: [1, 'one'] } }, ['list', 'listText']],
  [{ 'a.0': { $elemMatch: { $eq: 1 } } }, ['listNested']],
  [{ 'a.0.1': 2 }, ['listNested']],
  [{ _id: { $in: ['list', 'listText', 'listNested', 'one'] }, 'a.0.b': null }, ['one']],
  [{ a: { $elemMatch: { $elemMatch: { $eq: 1 } } } }, ['listNested']],
  [{ a: { $elemMatch: { $eq: [1, 2] } } }, ['listNested']],
  [{ a: { $elemMatch: { $eq: [[1, 2]] } } }, []],
  [{ 'a.b': 1, 'a.c': 2 }, ['doc', 'docSwapped', 'docs']],
  [{ a: { $elemMatch: { b: 1, c: 2 } } }, []],
  [{ a: { $elemMatch: { b: 3, c: 2 } } }, ['docs']],
  [{ a: { $elemMatch: { $gt: 1, $lt: 3 } } }, ['list']],
  [{ a: { $elemMatch: { $or: [{ b: 3 }, { c: 1 }] } } }, ['docs', 'docsPartly']],
  [{ a: /^one/i }, ['text', 'upper', 'listText']],
  [{ a: { $regex: '^ONE$', $options: 'i' } }, ['text', 'listText']],
  [{ $or: [{ a: 1 }, { a: 'one' }] }, ['one', 'list', 'text', 'listText']],
  [{ $and: [{ a: { $gt: 0 } }, { a: { $lt: 1 } }] }, ['half']],
  [{ $and: [{ $or: [{ a: 1 }, { a: 2 }] }, { 'a.1': 2 }] }, ['list']],
  [{ _id: 'one', a: 1 }, ['one']],
  [{ _id: { $in: ['one', 'two', 'gone'] } }, ['one', 'two']],
  [{ constructor: { $exists: true } }, []],
  [{ 'a.constructor': { $exists: true } }, []],
];

const REFUSED: [filter: object, code: number][] = [
  [{ $or: [] }, 2],
  [{ $and: 1 }, 2],
  [{ a: { $in: 1 } }, 2],
  [{ a: { $regex: '(' } }, 51091],
  [{ a: { $elemMatch: 1 } }, 2],
];

beforeAll(async () => {
  const collection = database.connection.collection<{ _id: string }>('filters');
  await collection.deleteMany({});
  await collection.insertMany(Object.entries(DOCUMENTS).map(([_id, doc]) => ({ _id, ...doc })));
});

describe('a filter', () => {
  it.each(CASES)('%j', async (filter, names) => {
    const found = await database.connection.collection('filters').find(filter).toArray();
    expect(found.map(({ _id }) => String(_id)).sort()).toEqual([...names].sort());
  });

  it.each(REFUSED)('%j is refused with its code', async (filter, code) => {
    const error = await rejection(database.connection.collection('filters').find(filter).toArray());
    expect(error.code).toBe(code);
  });

  it.skipIf(process.env.TEST_MONGODB_URI)('outside the subset fails loudly, whatever the documents', async () => {
    for (const filter of [
      { $where: 'true' },
      { a: { $near: [0, 0] } },
      { $expr: true },
      { $text: { $search: 'x' } },
      { $nor: [{ a: 1 }] },
      { a: { $size: 1 } },
      { a: { $not: /x/ } },
      { a: { $all: [1] } },
    ]) {
      const error = await rejection(database.connection.collection('nothing').find(filter).toArray());
      expect(error.message).toContain('not supported by the embedded store');
    }
  });
});

describe('a sort', () => {
  it('orders types as MongoDB does and an array by its least or greatest element', async () => {
    const collection = database.connection.collection<{ _id: string }>('filters');
    const chosen = { _id: { $in: ['list', 'listEmpty', 'null', 'half', 'text', 'doc', 'id', 'yes', 'day', 'bytes'] } };
    const ids = async (direction: 1 | -1) =>
      (await collection.find(chosen).sort({ a: direction }).toArray()).map(({ _id }) => _id);
    const ascending = ['listEmpty', 'null', 'half', 'list', 'text', 'doc', 'bytes', 'id', 'yes', 'day'];
    expect(await ids(1)).toEqual(ascending);
    expect(await ids(-1)).toEqual([...ascending].reverse());
  });
});
