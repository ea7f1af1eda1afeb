// A small statement of MongoDB's rules, apart from the embedded store: plain lists and loops, no indexes, no BSON.

export type Value = null | number | string | boolean | Value[] | { [field: string]: Value };
export type Fields = { [field: string]: Value };

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value that a path leads to. `whole`: an array at a position, whose elements are not looked at. */
interface Reached {
  value: Value | undefined;
  whole: boolean;
}

/** Returns what a path leads to; a document without the field gives undefined, elements without fields give nothing. */
function reach(value: Value | undefined, parts: string[]): Reached[] {
  const [part, ...rest] = parts;
  if (part === undefined) return [{ value, whole: false }];
  if (isFields(value)) return reach(Object.hasOwn(value, part) ? value[part] : undefined, rest);
  if (!Array.isArray(value)) return [{ value: undefined, whole: false }];
  const inside = value.filter(isFields).flatMap((item) => reach(item, parts));
  const at = /^\d+$/.test(part) ? value[Number(part)] : undefined;
  if (at === undefined) return inside;
  if (rest.length === 0) return [...inside, { value: at, whole: true }];
  return typeof at === 'object' && at !== null ? [...inside, ...reach(at, rest)] : inside;
}

const RANK = [
  (value: Value | undefined) => value === null || value === undefined,
  (value: Value | undefined) => typeof value === 'number',
  (value: Value | undefined) => typeof value === 'string',
  isFields,
  Array.isArray,
  (value: Value | undefined) => typeof value === 'boolean',
];
const rankOf = (value: Value | undefined) => RANK.findIndex((is) => is(value));

/** Compares two values in MongoDB's order: by type, then by value; documents field by field: type, name, value. */
export function order(one: Value | undefined, other: Value | undefined): number {
  const ranks = rankOf(one) - rankOf(other);
  if (ranks !== 0) return ranks;
  if (isFields(one) && isFields(other)) return orderFields(Object.entries(one), Object.entries(other));
  if (Array.isArray(one) && Array.isArray(other)) return orderLists(one, other);
  if (one === other || one === null || one === undefined) return 0;
  return (one as number) < (other as number) ? -1 : 1;
}

function orderFields(one: [string, Value][], other: [string, Value][]): number {
  for (const [index, [name, value]] of one.entries()) {
    const against = other[index];
    if (!against) return 1;
    const difference =
      rankOf(value) - rankOf(against[1]) ||
      (name < against[0] ? -1 : Number(name > against[0])) ||
      order(value, against[1]);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

function orderLists(one: Value[], other: Value[]): number {
  for (const [index, value] of one.entries()) {
    if (index >= other.length) return 1;
    const difference = order(value, other[index]);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** Returns true if any reached value, or an element of a reached array, passes. */
function some(reached: Reached[], passes: (value: Value | undefined) => boolean): boolean {
  return reached.some(({ value, whole }) => passes(value) || (!whole && Array.isArray(value) && value.some(passes)));
}

const equal = (one: Value | undefined, other: Value | undefined) => order(one, other) === 0;
const compared = (operand: Value, accepts: (difference: number) => boolean) => (value: Value | undefined) =>
  rankOf(value) === rankOf(operand) && accepts(order(value, operand));

/** Returns true if what a path leads to meets an operator. */
function meets(reached: Reached[], operator: string, operand: Value): boolean {
  const list = operand as Value[];
  switch (operator) {
    case '$eq':
      return some(reached, (value) => equal(value, operand));
    case '$ne':
      return !meets(reached, '$eq', operand);
    case '$in':
      return list.some((one) => meets(reached, '$eq', one));
    case '$nin':
      return !meets(reached, '$in', operand);
    case '$gt':
      return some(
        reached,
        compared(operand, (difference) => difference > 0),
      );
    case '$gte':
      return some(
        reached,
        compared(operand, (difference) => difference >= 0),
      );
    case '$lt':
      return some(
        reached,
        compared(operand, (difference) => difference < 0),
      );
    case '$lte':
      return some(
        reached,
        compared(operand, (difference) => difference <= 0),
      );
    case '$exists':
      return reached.some(({ value }) => value !== undefined) === operand;
    case '$elemMatch':
      return reached.some(
        ({ value }) => Array.isArray(value) && value.some((item) => elementMeets(item, operand as Fields)),
      );
    default:
      throw new Error(`no statement about ${operator}`);
  }
}

const isOperators = (value: Value): value is Fields => isFields(value) && (Object.keys(value)[0] ?? '').startsWith('$');

function elementMeets(item: Value, condition: Fields): boolean {
  if (!isOperators(condition)) return isFields(item) && matches(item, condition);
  return Object.entries(condition).every(([name, operand]) => meets([{ value: item, whole: true }], name, operand));
}

/** Returns true if a document matches a filter. */
export function matches(document: Fields, filter: Fields): boolean {
  return Object.entries(filter).every(([path, condition]) => {
    if (path === '$and') return (condition as Fields[]).every((branch) => matches(document, branch));
    if (path === '$or') return (condition as Fields[]).some((branch) => matches(document, branch));
    const reached = reach(document, path.split('.'));
    if (!isOperators(condition)) return meets(reached, '$eq', condition);
    return Object.entries(condition).every(([operator, operand]) => meets(reached, operator, operand));
  });
}

/** Returns the value that a document is sorted by: of an array its least or greatest element; an empty one is below null. */
function sortValue(document: Fields, path: string, direction: number): { below: boolean; value: Value | undefined } {
  const values = reach(document, path.split('.')).flatMap(({ value }) => {
    if (!Array.isArray(value)) return [{ below: false, value }];
    return value.length === 0
      ? [{ below: true, value: null }]
      : value.map((item) => ({ below: false, value: item as Value | undefined }));
  });
  const sorted = values.sort(compareKeys);
  return (direction === 1 ? sorted[0] : sorted.at(-1)) ?? { below: false, value: null };
}

const compareKeys = (one: { below: boolean; value: Value | undefined }, other: typeof one) =>
  Number(other.below) - Number(one.below) || order(one.value, other.value);

/** Compares two documents by a sort. */
export function orderBy(sort: Record<string, 1 | -1>) {
  return (one: Fields, other: Fields): number => {
    for (const [path, direction] of Object.entries(sort)) {
      const difference = compareKeys(sortValue(one, path, direction), sortValue(other, path, direction));
      if (difference !== 0) return difference * direction;
    }
    return 0;
  };
}
