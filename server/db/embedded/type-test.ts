import { Binary, Decimal128, Long, ObjectId } from 'bson';
import { isDocument } from './bson-codec.ts';
import { CommandError, notSupported } from './errors.ts';

const isInt32 = (value: unknown) => Number.isInteger(value) && (value as number) === ((value as number) | 0);

// Numbers are told apart by their value: a whole number within 32 bits is an int, every other number a double.
const TESTS: Record<string, (value: unknown) => boolean> = {
  double: (value) => typeof value === 'number' && !isInt32(value),
  string: (value) => typeof value === 'string',
  object: isDocument,
  array: Array.isArray,
  binData: (value) => value instanceof Binary,
  objectId: (value) => value instanceof ObjectId,
  bool: (value) => typeof value === 'boolean',
  date: (value) => value instanceof Date,
  null: (value) => value === null,
  int: isInt32,
  long: (value) => value instanceof Long,
  decimal: (value) => value instanceof Decimal128,
  number: (value) => typeof value === 'number' || value instanceof Long || value instanceof Decimal128,
};

/** Aliases by BSON's type number. */
const ALIASES: Record<number, string> = {
  1: 'double',
  2: 'string',
  3: 'object',
  4: 'array',
  5: 'binData',
  7: 'objectId',
  8: 'bool',
  9: 'date',
  10: 'null',
  16: 'int',
  18: 'long',
  19: 'decimal',
};

/**
 * Compiles the test of `$type`, for one alias or number, or an array of them.
 * @throws CommandError 2 or 115 for an unknown type
 */
export function typeTest(operand: unknown): (value: unknown) => boolean {
  const tests = (Array.isArray(operand) ? operand : [operand]).map((type) => {
    const test = TESTS[typeof type === 'number' ? (ALIASES[type] ?? '') : String(type)];
    if (!test) throw notSupported(`$type ${String(type)}`);
    return test;
  });
  if (tests.length === 0) throw new CommandError(9, '$type must match at least one type');
  return (value) => tests.some((test) => test(value));
}
