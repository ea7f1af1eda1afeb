import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Doc, decode } from '../../../server/db/embedded/bson-codec.ts';
import { documentRange, indexRange, readIndexSpec } from '../../../server/db/embedded/catalog.ts';
import { createEngine, type Engine } from '../../../server/db/embedded/engine.ts';
import { compileFilter } from '../../../server/db/embedded/match.ts';
import { keyFields, sortKey } from '../../../server/db/embedded/paths.ts';
import { choosePlan } from '../../../server/db/embedded/plan.ts';
import { runQuery } from '../../../server/db/embedded/query.ts';
import { openStore, type Store } from '../../../server/db/embedded/store.ts';
import { applyUpdate } from '../../../server/db/embedded/update.ts';
import { temporaryDirectory } from './embedded-fixture.ts';

// A small generator with a seed, so that a failure can be repeated.
function createRandom(seed: number) {
  let state = seed;
  const below = (limit: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return { below, pick: <T>(items: T[]): T => items[below(items.length)] as T };
}

const SEED = Number(process.env.IMAGEWRIGHT_SEED ?? 20_240_501);
const random = createRandom(SEED);
const SCALARS = [null, 0, 1, 2, 2.5, -1, 'a', 'b', 'ab', '', true, false, new Date(1), new Date(5), Number.NaN, '\0'];
const scalar = () => random.pick<unknown>(SCALARS);

function value(): unknown {
  const kind = random.below(10);
  if (kind < 6) return scalar();
  if (kind === 6) return { x: scalar(), y: scalar() };
  if (kind === 7) return Array.from({ length: random.below(3) }, () => ({ x: scalar(), y: scalar() }));
  return Array.from({ length: random.below(4) }, scalar);
}

// Only one field of a compound index may hold arrays: b and c stay scalars.
function document(id: number): Doc {
  const doc: Doc = { _id: id };
  if (random.below(5) > 0) doc.a = value();
  if (random.below(5) > 0) doc.b = scalar();
  if (random.below(3) > 0) doc.c = scalar();
  return doc;
}

function condition(): unknown {
  const operators: (() => Doc)[] = [
    () => ({ $gt: scalar() }),
    () => ({ $gte: scalar() }),
    () => ({ $lt: scalar() }),
    () => ({ $lte: scalar() }),
    () => ({ $gte: scalar(), $lt: scalar() }),
    () => ({ $gt: random.below(3) - 1, $lte: random.below(4) }),
    () => ({ $in: [scalar(), scalar(), scalar()] }),
    () => ({ $ne: scalar() }),
    () => ({ $exists: random.below(2) === 0 }),
    () => ({ $eq: value() }),
    () => ({ $elemMatch: { x: scalar() } }),
    () => ({ $elemMatch: { $gte: scalar() } }),
  ];
  return random.below(3) === 0 ? scalar() : random.pick(operators)();
}

function filter(): Doc {
  const one = (): Doc => ({ [random.pick(['a', 'a.x', 'a.y', 'b', 'c', '_id', 'a.0'])]: condition() });
  const parts = Array.from({ length: random.below(4) }, one);
  const kind = random.below(6);
  if (kind > 3) parts.push(random.pick<Doc>([{ c: { $gt: 0 } }, { b: null }, { a: { $exists: true } }]));
  if (kind === 0 && parts.length > 0) return { $and: parts };
  if (kind === 1 && parts.length > 0) return { $or: parts, ...one() };
  return Object.assign({}, ...parts);
}

const INDEXES: Doc[] = [
  { name: 'a', key: { a: 1 } },
  { name: 'a-', key: { a: -1 } },
  { name: 'ab', key: { a: 1, b: -1 } },
  { name: 'bc', key: { b: -1, c: 1 } },
  { name: 'cb', key: { c: 1, b: 1 } },
  { name: 'ax', key: { 'a.x': 1 } },
  { name: 'ayb', key: { 'a.y': -1, b: 1 }, sparse: true },
  { name: 'sparse', key: { c: 1 }, sparse: true },
  { name: 'partial', key: { b: 1 }, partialFilterExpression: { c: { $gt: 0 } } },
  { name: 'partialNull', key: { c: -1 }, partialFilterExpression: { b: null } },
  { name: 'exists', key: { 'a.0': 1 }, partialFilterExpression: { a: { $exists: true } } },
  { name: 'unique', key: { b: 1, _id: -1 }, unique: true },
];

describe(`random queries (seed ${SEED})`, () => {
  const directory = temporaryDirectory();
  let store: Store;
  let engine: Engine;
  beforeAll(() => {
    store = openStore(directory.path);
    engine = createEngine(store);
  });
  afterAll(async () => {
    await store.close();
    directory.remove();
  });

  it('find the same through every index as in a full scan, in the order asked for', async () => {
    const { catalog, documents, commits } = engine;
    const used = new Map<string, number>();
    for (let round = 0; round < 12; round++) {
      const chosen = INDEXES.filter((_, position) => position % 4 === round % 4);
      const collection = await commits.write(() => catalog.create(`test.round${round}`));
      await commits.write(() => {
        for (const spec of chosen.slice(0, 2)) catalog.addIndex(collection, readIndexSpec(spec));
        for (let id = 0; id < 60; id++) documents.insert(collection, document(id));
        for (const spec of chosen.slice(2))
          documents.build(collection, catalog.addIndex(collection, readIndexSpec(spec)));
      });
      await commits.write(() => {
        for (const found of [...runQuery(store, collection, { filter: { _id: { $gte: 40 } } })]) {
          if (random.below(3) === 0) documents.remove(collection, found);
          else
            documents.replace(
              collection,
              found,
              applyUpdate(found.doc, { $set: { a: value(), c: scalar() } }, { filter: {} }),
            );
        }
      });
      const all = [...store.scan(documentRange(collection))].map((entry) => ({ doc: decode(entry.value) }));
      for (let query = 0; query < 400; query++) {
        const wanted = filter();
        const sort = random.pick<Doc>([
          {},
          { b: 1 },
          { b: -1, c: 1 },
          { a: 1 },
          { c: -1, b: -1 },
          { _id: -1 },
          { 'a.x': 1, b: 1 },
        ]);
        const plan = choosePlan(collection, wanted, keyFields(sort));
        const name = plan.index?.spec.name ?? (plan.ranges[0]?.start.length === 5 ? 'scan' : '_id');
        used.set(name, (used.get(name) ?? 0) + 1);
        const found = [...runQuery(store, collection, { filter: wanted, sort })];
        const matches = compileFilter(wanted);
        const expected = all.filter(({ doc }) => matches(doc));
        const ids = (docs: { doc: Doc }[]) => docs.map(({ doc }) => doc._id as number).sort((x, y) => x - y);
        const hint = JSON.stringify({ wanted, sort, name, round });
        expect(ids(found), hint).toEqual(ids(expected));
        const keys = found.map(({ doc }) => sortKey(doc, keyFields(sort)));
        for (let at = 1; at < keys.length; at++)
          expect(Buffer.compare(keys[at - 1] as Buffer, keys[at] as Buffer), hint).toBeLessThanOrEqual(0);
      }
      for (const index of collection.indexes) {
        const before = [...store.scan(indexRange(index))].map(({ key }) => key.toString('hex'));
        await commits.write(() => {
          for (const { key } of [...store.scan(indexRange(index))]) store.remove(key);
          documents.build(collection, index);
        });
        expect(
          [...store.scan(indexRange(index))].map(({ key }) => key.toString('hex')),
          index.spec.name,
        ).toEqual(before);
      }
      expect(all.length).toBeGreaterThan(40);
    }
    for (const name of [...INDEXES.map((spec) => spec.name as string), '_id', 'scan'])
      expect(used.get(name) ?? 0, `plans through ${name}`).toBeGreaterThan(0);
  });
});
