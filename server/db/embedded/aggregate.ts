import { Aggregator } from 'mingo/aggregator';
import { Context } from 'mingo/core';
import { Lazy } from 'mingo/lazy';
import * as accumulators from 'mingo/operators/accumulator';
import * as expressions from 'mingo/operators/expression';
import * as stages from 'mingo/operators/pipeline';
import * as projections from 'mingo/operators/projection';
import type { Doc } from './bson-codec.ts';
import { CommandError, notSupported } from './errors.ts';
import { compileFilter } from './match.ts';
import { keyFields, sortKey } from './paths.ts';
import { SUPPORTED, sortField } from './subset.ts';

const BANNED = new Set(['$function', '$accumulator', '$where']);

/**
 * Runs an aggregation pipeline over documents; $match and $sort follow the rules of find.
 * @throws CommandError 115 for stages outside the subset and for expressions that run code
 */
export function aggregate(documents: Iterable<Doc>, pipeline: Doc[]): Doc[] {
  refuseUnsupported(pipeline);
  const context = Context.init({
    accumulator: accumulators,
    expression: expressions,
    projection: projections,
    pipeline: { ...stages, $match: matchStage, $sort: sortStage, $group: groupStage },
  });
  try {
    return new Aggregator(pipeline, { context, scriptEnabled: false }).run<Doc>(documents as Iterable<never>);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(2, (error as Error).message);
  }
}

const matchStage: typeof stages.$match = (documents, filter) => {
  const matches = compileFilter(filter as Doc);
  return documents.filter((doc) => matches(doc as Doc));
};

const sortStage: typeof stages.$sort = (documents, spec) => {
  const fields = keyFields(sortField({ $sort: spec }, '$sort'));
  return documents.transform((docs) => {
    const keyed = (docs as Doc[]).map((doc) => ({ doc, key: sortKey(doc, fields) }));
    return Lazy(keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ doc }) => doc));
  });
};

// A group of documents that have no value for the key is the group of null.
const groupStage: typeof stages.$group = (documents, spec, options) =>
  stages.$group(documents, spec, options).map((group) => ({ ...(group as Doc), _id: (group as Doc)._id ?? null }));

function refuseUnsupported(pipeline: Doc[]): void {
  for (const stage of pipeline) {
    const [name = 'nothing'] = Object.keys(stage);
    if (!SUPPORTED.stages.split(' ').includes(name)) throw notSupported(`the aggregation stage ${name}`);
    refuseCode(stage);
  }
}

function refuseCode(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    if (BANNED.has(name)) throw notSupported(`the expression ${name}`);
    refuseCode(child);
  }
}
