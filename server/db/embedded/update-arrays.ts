import { isDocument } from './bson-codec.ts';
import { CommandError, notSupported } from './errors.ts';
import { sameValue } from './key-encoding.ts';
import { compileCondition, elementTest, isOperatorObject } from './match.ts';
import type { Target } from './update-targets.ts';

/** Update operators for arrays; each takes the place of the array and the operator's argument. */
export const changeArray = {
  $push(target: Target, operand: unknown, path: string): void {
    const { items, slice, position } = pushParts(operand);
    const array = [...(arrayAt(target, path) ?? [])];
    array.splice(position ?? array.length, 0, ...items);
    target.write(slice === undefined ? array : slice < 0 ? array.slice(slice) : array.slice(0, slice));
  },
  $addToSet(target: Target, operand: unknown, path: string): void {
    const array = [...(arrayAt(target, path) ?? [])];
    for (const item of eachOf(operand, '$addToSet', []))
      if (!array.some((present) => sameValue(present, item))) array.push(item);
    target.write(array);
  },
  $pull(target: Target, operand: unknown, path: string): void {
    const matches = pullTest(operand);
    target.write(arrayAt(target, path)?.filter((item) => !matches(item)));
  },
  $pullAll(target: Target, operand: unknown, path: string): void {
    if (!Array.isArray(operand)) throw new CommandError(2, '$pullAll requires an array argument');
    target.write(arrayAt(target, path)?.filter((item) => !operand.some((pulled) => sameValue(item, pulled))));
  },
};

function arrayAt(target: Target, path: string): unknown[] | undefined {
  const value = target.read();
  if (value !== undefined && !Array.isArray(value))
    throw new CommandError(2, `The field '${path}' must be an array but is of another type`);
  return value;
}

function eachOf(operand: unknown, operator: string, modifiers: string[]): unknown[] {
  if (!isOperatorObject(operand)) return [operand];
  const unknown = Object.keys(operand).find((name) => name !== '$each' && !modifiers.includes(name));
  if (unknown) throw notSupported(`${operator} with ${unknown}`);
  if (!Array.isArray(operand.$each)) throw new CommandError(2, `The argument to $each in ${operator} must be an array`);
  return operand.$each;
}

function pushParts(operand: unknown): { items: unknown[]; slice?: number; position?: number } {
  const items = eachOf(operand, '$push', ['$slice', '$position']);
  if (!isOperatorObject(operand)) return { items };
  const { $slice: slice, $position: position } = operand;
  for (const value of [slice, position])
    if (value !== undefined && !Number.isInteger(value))
      throw new CommandError(2, '$slice and $position must be whole numbers');
  return { items, slice: slice as number | undefined, position: position as number | undefined };
}

// A document pulls by its fields, operators by the element's value, anything else by equality.
function pullTest(operand: unknown): (item: unknown) => boolean {
  if (isDocument(operand))
    return elementTest(operand, isOperatorObject(operand) && !/^\$(and|or|nor)$/.test(first(operand)));
  const test = compileCondition(operand);
  return (item) => (Array.isArray(item) ? sameValue(item, operand) : test([item]));
}

function first(doc: object): string {
  return Object.keys(doc)[0] ?? '';
}
