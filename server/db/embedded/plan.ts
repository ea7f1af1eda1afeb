import { BSONRegExp } from 'bson';
import { type Doc, isDocument } from './bson-codec.ts';
import { type Collection, documentRange, type Index, indexRange } from './catalog.ts';
import { encodeValue, sameValue, typeTag } from './key-encoding.ts';
import { compileFilter, isOperatorObject } from './match.ts';
import { invert, type KeyField } from './paths.ts';
import type { KeyRange } from './store.ts';

/** Key ranges to read for a query; they may cover too many documents, never too few. */
export interface Plan {
  /** Undefined reads the documents themselves, in the order of _id. */
  index?: Index;
  ranges: KeyRange[];
  /** True if each range starts with the key of the one document that it may hold. */
  exact: boolean;
  reverse: boolean;
  /** True if the keys are in the order of the query's sort. */
  sorted: boolean;
}

interface Bound {
  bytes: Buffer;
  inclusive: boolean;
}

interface Conditions {
  /** The value is one of these. */
  equals?: unknown[];
  ranges: { operator: string; operand: unknown }[];
  /** All operators seen, to compare with a partial index's. */
  operators: [operator: string, operand: unknown][];
}

const MAX_RANGES = 10_000;
const PASS = Buffer.from([0xff]);

/** Chooses the index that pins the most fields; a sort from an index breaks ties. */
export function choosePlan(collection: Collection, filter: Doc, sort: KeyField[]): Plan {
  const conditions = new Map<string, Conditions>();
  collect(filter, '', conditions);
  const all = documentRange(collection);
  const idFields: KeyField[] = [{ path: '_id', direction: 1 }];
  const candidates = [planFor(undefined, idFields, false, all, conditions, sort)];
  for (const index of collection.indexes) {
    if (!isCovered(index, conditions)) continue;
    candidates.push(planFor(index, index.fields, index.multikey, indexRange(index), conditions, sort));
  }
  const best = candidates.reduce((a, b) => (b.score > a.score ? b : a));
  return best.plan;
}

function planFor(
  index: Index | undefined,
  fields: KeyField[],
  multikey: boolean,
  fullRange: KeyRange,
  conditions: Map<string, Conditions>,
  sort: KeyField[],
): { plan: Plan; score: number } {
  let prefixes = [fullRange.start];
  let pinned = 0;
  let ranges: KeyRange[] | undefined;
  for (const { path, direction } of fields) {
    const condition = conditions.get(path);
    const keys = condition?.equals?.map(encodeValue);
    if (keys && prefixes.length * keys.length <= MAX_RANGES) {
      const parts = direction === 1 ? keys : keys.map(invert);
      prefixes = distinct(prefixes.flatMap((prefix) => parts.map((part) => Buffer.concat([prefix, part]))));
      pinned++;
      continue;
    }
    const interval = condition && intervalOf(condition, multikey, direction);
    if (interval) {
      const { start, end } = interval;
      ranges = prefixes.map((p) => ({ start: Buffer.concat([p, start]), end: Buffer.concat([p, end]) }));
    }
    break;
  }
  const order = prefixes.length === 1 && !multikey ? sortOrder(fields, pinned, sort) : 0;
  const complete = pinned === fields.length && (index?.spec.unique || !index) ? 20 : 0;
  const score = pinned * 10 + (ranges ? 5 : 0) + (order ? 3 : 0) + complete;
  ranges ??= prefixes.map((start) => ({ start, end: Buffer.concat([start, PASS]) }));
  const exact = !index && pinned === 1;
  return { plan: { index, ranges, exact, reverse: order === -1, sorted: order !== 0 }, score };
}

// 1 when the entries after the pinned fields come in the order of the sort, -1 when reversed, 0 otherwise.
function sortOrder(fields: KeyField[], pinned: number, sort: KeyField[]): 1 | -1 | 0 {
  const pinnedPaths = fields.slice(0, pinned).map(({ path }) => path);
  const wanted = sort.filter(({ path }) => !pinnedPaths.includes(path));
  if (wanted.length === 0) return sort.length > 0 ? 1 : 0;
  let order: 1 | -1 | 0 = 0;
  for (const [position, { path, direction }] of wanted.entries()) {
    const field = fields[pinned + position];
    if (field?.path !== path) return 0;
    const step = field.direction === direction ? 1 : -1;
    if (order !== 0 && order !== step) return 0;
    order = step;
  }
  return order;
}

function distinct(keys: Buffer[]): Buffer[] {
  return keys.sort(Buffer.compare).filter((key, at) => at === 0 || !key.equals(keys[at - 1] as Buffer));
}

function collect(filter: Doc, prefix: string, conditions: Map<string, Conditions>): void {
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and') for (const branch of condition as Doc[]) collect(branch, prefix, conditions);
    if (key.startsWith('$')) continue;
    const path = prefix + key;
    const operators: [string, unknown][] = isOperatorObject(condition)
      ? Object.entries(condition)
      : [['$eq', condition]];
    const seen = conditions.get(path) ?? { ranges: [], operators: [] };
    conditions.set(path, seen);
    for (const [operator, operand] of operators) {
      seen.operators.push([operator, operand]);
      if (operator === '$eq' && isIndexed(operand)) seen.equals ??= [operand];
      else if (operator === '$in' && Array.isArray(operand) && operand.every(isIndexed)) seen.equals ??= operand;
      else if (/^\$[gl]te?$/.test(operator) && isIndexed(operand) && operand !== null)
        seen.ranges.push({ operator, operand });
      else if (operator === '$elemMatch' && isDocument(operand) && !isOperatorObject(operand))
        collect(operand, `${path}.`, conditions);
    }
  }
}

// Arrays are indexed by their elements and regular expressions match many values.
function isIndexed(operand: unknown): boolean {
  return !Array.isArray(operand) && !(operand instanceof BSONRegExp);
}

function intervalOf({ ranges }: Conditions, multikey: boolean, direction: 1 | -1): KeyRange | undefined {
  const first = ranges[0];
  if (!first) return undefined;
  const tag = typeTag(first.operand);
  let low: Bound | undefined;
  let high: Bound | undefined;
  // Two elements of one array may satisfy the two sides, so several values allow one side only.
  for (const { operator, operand } of multikey ? [first] : ranges) {
    if (typeTag(operand) !== tag) continue;
    const bound = { bytes: encodeValue(operand), inclusive: operator.endsWith('e') };
    if (operator.startsWith('$g')) low = low && Buffer.compare(low.bytes, bound.bytes) > 0 ? low : bound;
    else high = high && Buffer.compare(high.bytes, bound.bytes) < 0 ? high : bound;
  }
  if (direction === 1) {
    const start = low ? after(low.bytes, !low.inclusive) : Buffer.from([tag]);
    return { start, end: high ? after(high.bytes, high.inclusive) : Buffer.from([tag + 1]) };
  }
  // Backwards the bounds change sides; an exclusive one lets its own value through to the matcher.
  const start = high ? invert(high.bytes) : Buffer.from([~tag & 0xff]);
  return { start, end: low ? after(invert(low.bytes), true) : Buffer.from([(~tag & 0xff) + 1]) };
}

function after(bytes: Buffer, pass: boolean): Buffer {
  return pass ? Buffer.concat([bytes, PASS]) : bytes;
}

// Tests if a sparse or partial index contains every matching document.
function isCovered({ spec, fields }: Index, conditions: Map<string, Conditions>): boolean {
  if (spec.sparse && !fields.some(({ path }) => requiresValue(conditions.get(path)))) return false;
  return Object.entries(spec.partialFilterExpression ?? {}).every(([path, wanted]) => {
    const given = conditions.get(path);
    return given !== undefined && !path.startsWith('$') && implies(given, wanted);
  });
}

function requiresValue(given: Conditions | undefined): boolean {
  if (!given) return false;
  return given.equals?.every((value) => value !== null) || given.ranges.length > 0;
}

function implies(given: Conditions, wanted: unknown): boolean {
  if (given.equals && requiresValue({ ...given, ranges: [] })) {
    const accepts = compileFilter({ value: wanted });
    return given.equals.every((value) => accepts({ value }));
  }
  const operators: [string, unknown][] = isOperatorObject(wanted) ? Object.entries(wanted) : [['$eq', wanted]];
  return operators.every(
    ([operator, operand]) =>
      given.operators.some(([name, value]) => name === operator && sameValue(value, operand)) ||
      (operator === '$exists' && operand === true && requiresValue(given)),
  );
}
