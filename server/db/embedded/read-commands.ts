import { Long } from 'bson';
import { type Doc, encode, encodeCursorReply, isDocument } from './bson-codec.ts';
import { documentRange } from './catalog.ts';
import type { CommandHandler, Engine } from './engine.ts';
import { CommandError, notSupported } from './errors.ts';
import { sameValue } from './key-encoding.ts';
import { compileProjection, type Found, type Query, runQuery } from './query.ts';
import { countField, documentField, listField, namespaceOf, sortField } from './subset.ts';

/** find, getMore, killCursors, count and aggregate. */
export const readCommands: Record<string, CommandHandler> = {
  find(engine, command) {
    const ns = namespaceOf(command, 'find');
    const project = compileProjection(documentField(command, 'projection'));
    const found = search(engine, ns, {
      filter: documentField(command, 'filter'),
      sort: sortField(command, 'sort'),
      skip: countField(command, 'skip'),
      limit: countField(command, 'limit'),
    });
    const results = rawResults(found, project);
    const { id, batch } = engine.cursors.open(
      ns,
      results,
      countField(command, 'batchSize'),
      Boolean(command.singleBatch),
    );
    return encodeCursorReply(ns, id, 'firstBatch', batch);
  },

  getMore(engine, command) {
    const { id, batch, ns } = engine.cursors.more(cursorId(command.getMore), countField(command, 'batchSize'));
    return encodeCursorReply(ns, id, 'nextBatch', batch);
  },

  killCursors(engine, command) {
    const ids = listField<Doc>(command, 'cursors');
    const killed = ids.filter((id) => engine.cursors.kill(cursorId(id)));
    const lost = ids.filter((id) => !killed.includes(id));
    return { cursorsKilled: killed, cursorsNotFound: lost, cursorsAlive: [], cursorsUnknown: [], ok: 1 };
  },

  count(engine, command) {
    const ns = namespaceOf(command, 'count');
    const filter = documentField(command, 'query');
    const skip = countField(command, 'skip');
    const limit = countField(command, 'limit');
    return { n: countDocuments(engine, ns, { filter, skip, limit }), ok: 1 };
  },

  async aggregate(engine, command) {
    if (command.aggregate === 1) throw notSupported('an aggregate of the database');
    const ns = namespaceOf(command, 'aggregate');
    const pipeline = listField<Doc>(command, 'pipeline');
    const batchSize = countField(documentField(command, 'cursor'), 'batchSize');
    const counted = countingPipeline(pipeline);
    if (counted) {
      const n = countDocuments(engine, ns, counted);
      return encodeCursorReply(ns, 0n, 'firstBatch', n > 0 ? [encode({ _id: 1, n })] : []);
    }
    const { aggregate } = await import('./aggregate.ts');
    const leading = isDocument(pipeline[0]?.$match) ? pipeline[0].$match : undefined;
    const found = search(engine, ns, { filter: leading ?? {} });
    const results = aggregate(documentsOf(found), leading ? pipeline.slice(1) : pipeline);
    const { id, batch } = engine.cursors.open(ns, results.map(encode).values(), batchSize);
    return encodeCursorReply(ns, id, 'firstBatch', batch);
  },
};

function search({ store, catalog }: Engine, ns: string, query: Query): Generator<Found> {
  return runQuery(store, catalog.find(ns), query);
}

function* rawResults(found: Iterable<Found>, project?: (doc: Doc) => Doc): Generator<Buffer> {
  for (const { raw, doc } of found) yield project ? encode(project(doc)) : raw;
}

function* documentsOf(found: Iterable<Found>): Generator<Doc> {
  for (const { doc } of found) yield doc;
}

function cursorId(value: unknown): bigint {
  if (value instanceof Long) return value.toBigInt();
  if (typeof value !== 'number') throw new CommandError(14, 'a cursor id has to be a number');
  return BigInt(value);
}

function countDocuments(engine: Engine, ns: string, query: Query): number {
  const collection = engine.catalog.find(ns);
  if (collection && Object.keys(query.filter).length === 0 && !query.skip && !query.limit)
    return engine.store.count(documentRange(collection));
  let count = 0;
  for (const _ of search(engine, ns, query)) count++;
  return count;
}

// Pipeline of countDocuments in drivers: [$match, $skip?, $limit?, {$group: {_id: 1, n: {$sum: 1}}}].
function countingPipeline(pipeline: Doc[]): Query | undefined {
  const group = { $group: { _id: 1, n: { $sum: 1 } } };
  const names = pipeline.map((stage) => Object.keys(stage).join()).join(' ');
  if (!/^\$match( \$skip)?( \$limit)? \$group$/.test(names) || !sameValue(pipeline[pipeline.length - 1], group)) return;
  const { $match, $skip, $limit }: Doc = Object.assign({}, ...pipeline);
  if (!isDocument($match) || $limit === 0) return undefined;
  return { filter: $match, skip: countField({ $skip }, '$skip'), limit: countField({ $limit }, '$limit') };
}
