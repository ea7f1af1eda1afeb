import { ObjectId } from 'bson';
import { beforeAll, describe, expect, it } from 'vitest';
import { rejection, useDatabase } from './embedded-fixture.ts';

const database = useDatabase();
const run = (...pipeline: object[]) => database.connection.collection('sales').aggregate(pipeline).toArray();
const [ann, bob] = [new ObjectId(), new ObjectId()];

beforeAll(async () => {
  await database.connection.collection('sales').insertMany([
    { who: ann, at: new Date('2024-05-01T10:00:00Z'), n: 1, tags: ['x', 'y'] },
    { who: bob, at: new Date('2024-05-01T23:00:00Z'), n: 2, tags: ['y'] },
    { who: ann, at: new Date('2024-05-02T01:00:00Z'), n: 3, tags: [] },
    { n: 4, at: new Date('2024-05-03T01:00:00Z'), tags: ['z'] },
  ]);
});

describe('an aggregation', () => {
  it('groups by ids, by days and by nothing', async () => {
    const byWho = await run({ $match: { n: { $lt: 4 } } }, { $group: { _id: '$who', sum: { $sum: '$n' } } });
    expect(byWho).toHaveLength(2);
    expect(byWho).toEqual(
      expect.arrayContaining([
        { _id: ann, sum: 4 },
        { _id: bob, sum: 2 },
      ]),
    );
    const day = { $dateToString: { format: '%Y-%m-%d', date: '$at' } };
    const byDay = await run({ $group: { _id: day, count: { $sum: 1 } } }, { $sort: { _id: 1 } }, { $limit: 2 });
    expect(byDay).toEqual([
      { _id: '2024-05-01', count: 2 },
      { _id: '2024-05-02', count: 1 },
    ]);
    expect(await run({ $group: { _id: null, total: { $sum: '$n' }, top: { $max: '$n' } } })).toEqual([
      { _id: null, total: 10, top: 4 },
    ]);
    expect(await run({ $match: { n: 4 } }, { $group: { _id: '$who' } })).toEqual([{ _id: null }]);
  });

  it('matches, sorts, projects, unwinds and counts', async () => {
    const stages = [
      { $match: { tags: 'y' } },
      { $sort: { n: -1 } },
      { $project: { _id: 0, twice: { $multiply: ['$n', 2] } } },
    ];
    expect(await run(...stages)).toEqual([{ twice: 4 }, { twice: 2 }]);
    expect(await run({ $unwind: '$tags' }, { $match: { tags: { $ne: 'z' } } }, { $count: 'n' })).toEqual([{ n: 3 }]);
    expect(
      await run({ $match: { who: { $exists: false } } }, { $set: { x: 1 } }, { $unset: ['_id', 'at', 'tags'] }),
    ).toEqual([{ n: 4, x: 1 }]);
  });

  it('gives large results in batches', async () => {
    const collection = database.connection.collection('many');
    await collection.insertMany(Array.from({ length: 500 }, (_, n) => ({ n })));
    const found = await collection.aggregate([{ $sort: { n: -1 } }, { $skip: 100 }], { batchSize: 50 }).toArray();
    expect(found.map(({ n }) => n)).toEqual(Array.from({ length: 400 }, (_, n) => 399 - n));
  });

  it('never runs code and refuses stages outside the subset', async () => {
    const body = { body: 'function() { return 1 }', args: [], lang: 'js' };
    const refused = [
      [{ $project: { x: { $function: body } } }],
      [{ $match: { $where: 'true' } }],
      [{ $group: { _id: null, x: { $accumulator: {} } } }],
      [{ $lookup: { from: 'a', localField: 'b', foreignField: 'c', as: 'd' } }],
      [{ $merge: 'x' }],
      [{ $out: 'x' }],
      [{ $facet: { a: [{ $count: 'n' }] } }],
      [{ $bucket: { groupBy: '$n', boundaries: [0, 5] } }],
    ];
    for (const pipeline of refused)
      expect((await rejection(run(...pipeline))).message).toContain('not supported by the embedded store');
    expect(await rejection(run({ $project: { x: { $nonsense: 1 } } }))).toMatchObject({ code: 2 });
  });
});
