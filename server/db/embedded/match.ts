import { BSONRegExp, MaxKey, MinKey } from 'bson';
import { type Doc, isDocument } from './bson-codec.ts';
import { CommandError, notSupported } from './errors.ts';
import { compareValues, encodeValue, sameValue, typeTag } from './key-encoding.ts';
import { ElementArray, valuesAt } from './paths.ts';

/** A compiled filter. */
export type Predicate = (doc: Doc) => boolean;
/** A test of all values at the end of a path (see valuesAt). */
type PathTest = (found: unknown[]) => boolean;
type ValueTest = (value: unknown) => boolean;

/**
 * Compiles a MongoDB filter.
 * @throws CommandError 2 or 115 for a malformed or unsupported filter, whatever the documents are
 */
export function compileFilter(filter: Doc): Predicate {
  const tests = Object.entries(filter).map(([key, condition]) => compileEntry(key, condition));
  if (tests.length === 1) return tests[0] as Predicate;
  return (doc) => tests.every((test) => test(doc));
}

/** Tests if a condition consists of operators, as `{$gt: 1}`, instead of a value to compare with. */
export function isOperatorObject(condition: unknown): condition is Doc {
  return isDocument(condition) && (Object.keys(condition)[0]?.startsWith('$') ?? false);
}

function compileEntry(key: string, condition: unknown): Predicate {
  if (key === '$and' || key === '$or') {
    if (!Array.isArray(condition) || condition.length === 0 || !condition.every(isDocument))
      throw new CommandError(2, `${key} must be a nonempty array of documents`);
    const branches = condition.map(compileFilter);
    return key === '$and'
      ? (doc) => branches.every((branch) => branch(doc))
      : (doc) => branches.some((branch) => branch(doc));
  }
  if (key.startsWith('$')) throw notSupported(`the query operator ${key}`);
  const test = compileCondition(condition);
  return (doc) => test(valuesAt(doc, key));
}

/** Compiles the condition of a field: operators, a regular expression or a value. */
export function compileCondition(condition: unknown): PathTest {
  if (!isOperatorObject(condition)) return anyValue(equalTo(condition));
  const tests = Object.keys(condition).map((operator) => compileOperator(operator, condition));
  return tests.length === 1 ? (tests[0] as PathTest) : (found) => tests.every((test) => test(found));
}

// An array satisfies a test as a whole or by one of its elements.
function anyValue(test: ValueTest): PathTest {
  return (found) =>
    found.some((value) => {
      if (value instanceof ElementArray) return test(value.items);
      return test(value) || (Array.isArray(value) && value.some(test));
    });
}

function equalTo(operand: unknown): ValueTest {
  if (operand instanceof BSONRegExp) {
    const matches = regexTest(operand.pattern, operand.options);
    return (value) => matches(value) || (value instanceof BSONRegExp && sameValue(value, operand));
  }
  if (operand === null || operand === undefined) return (value) => value === null || value === undefined;
  return (value) => value !== undefined && sameValue(value, operand);
}

function ordered(operand: unknown, accepts: (order: number) => boolean): ValueTest {
  if (operand instanceof BSONRegExp) throw new CommandError(2, "Can't have a regular expression as a range operand");
  if (operand instanceof MinKey || operand instanceof MaxKey) throw notSupported('a comparison with MinKey or MaxKey');
  const tag = typeTag(operand);
  const isNaNOperand = typeof operand === 'number' && Number.isNaN(operand);
  return (value) => {
    if (value === undefined) return operand === null && accepts(0);
    if (typeTag(value) !== tag || Number.isNaN(value) !== isNaNOperand) return false;
    return accepts(compareValues(value, operand));
  };
}

function compileOperator(operator: string, condition: Doc): PathTest {
  const operand = condition[operator];
  switch (operator) {
    case '$eq':
      return anyValue(operand instanceof BSONRegExp ? (value) => sameValue(value, operand) : equalTo(operand));
    case '$ne':
      if (operand instanceof BSONRegExp) throw new CommandError(2, "Can't have a regular expression as arg to $ne");
      return not(anyValue(equalTo(operand)));
    case '$gt':
      return anyValue(ordered(operand, (order) => order > 0));
    case '$gte':
      return anyValue(ordered(operand, (order) => order >= 0));
    case '$lt':
      return anyValue(ordered(operand, (order) => order < 0));
    case '$lte':
      return anyValue(ordered(operand, (order) => order <= 0));
    case '$in':
      return membership(operator, operand);
    case '$nin':
      return not(membership(operator, operand));
    case '$exists':
      return (found) => found.some((value) => value !== undefined) === isTruthy(operand);
    case '$regex':
      return anyValue(regexOperator(operand, condition.$options));
    case '$options':
      if (!('$regex' in condition)) throw new CommandError(2, '$options needs a $regex');
      return () => true;
    case '$elemMatch':
      return elementMatch(operand);
    default:
      throw notSupported(`the query operator ${operator}`);
  }
}

function not(test: PathTest): PathTest {
  return (found) => !test(found);
}

function isTruthy(value: unknown): boolean {
  return value !== false && value !== 0 && value !== null;
}

function membership(operator: string, operand: unknown): PathTest {
  if (!Array.isArray(operand)) throw new CommandError(2, `${operator} needs an array`);
  if (operand.some(isOperatorObject)) throw new CommandError(2, `cannot nest $ under ${operator}`);
  const patterns = operand.filter((item) => item instanceof BSONRegExp).map(equalTo);
  // Made for the first value: a look-up of many absent documents compares none.
  let keys: Set<string> | undefined;
  const has = (value: unknown): boolean => {
    keys ??= new Set(operand.map((item) => encodeValue(item).toString('latin1')));
    return keys.has(encodeValue(value).toString('latin1'));
  };
  return anyValue((value) => has(value) || patterns.some((matches) => matches(value)));
}

function elementMatch(operand: unknown): PathTest {
  if (!isDocument(operand)) throw new CommandError(2, '$elemMatch needs an Object');
  const logical = ['$and', '$or'].includes(Object.keys(operand)[0] ?? '');
  const test = elementTest(operand, isOperatorObject(operand) && !logical);
  return (found) =>
    found.some((value) => {
      const list = value instanceof ElementArray ? value.items : value;
      return Array.isArray(list) && list.some(test);
    });
}

/** Compiles a test of one array element: its operators on the value itself, or a filter on its fields. */
export function elementTest(condition: Doc, onValue: boolean): ValueTest {
  if (onValue) {
    const test = compileCondition(condition);
    return (value) => test([Array.isArray(value) ? new ElementArray(value) : value]);
  }
  const matches = compileFilter(condition);
  return (value) => isDocument(value) && matches(value);
}

function regexOperator(operand: unknown, options: unknown): ValueTest {
  if (operand instanceof BSONRegExp) return regexTest(operand.pattern, String(options ?? operand.options));
  if (typeof operand !== 'string') throw new CommandError(2, '$regex has to be a string');
  return regexTest(operand, String(options ?? ''));
}

function regexTest(pattern: string, options: string): ValueTest {
  const unknown = /[^imsu]/.exec(options);
  if (unknown) throw notSupported(`the regular expression option ${unknown[0]}`);
  let regex: RegExp;
  try {
    regex = new RegExp(pattern, [...new Set(options)].join(''));
  } catch (error) {
    throw new CommandError(51091, `Regular expression is invalid: ${(error as Error).message}`);
  }
  return (value) => typeof value === 'string' && regex.test(value);
}
