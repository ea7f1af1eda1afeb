import { isDocument } from './bson-codec.ts';
import { CommandError, notSupported } from './errors.ts';
import { sameValue } from './key-encoding.ts';
import { compileCondition, elementTest, isOperatorObject } from './match.ts';
import type { Target } from './update-targets.ts';

/** Update operators for arrays; each takes the place of the array and the operator's argument. */
export const changeArray = {
  $push(target: Target, operand: unknown, path: string): void {
    target.write([...(arrayAt(target, path) ?? []), ...pushedItems(operand)]);
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

function pushedItems(operand: unknown): unknown[] {
  if (!isOperatorObject(operand)) return [operand];
  const unknown = Object.keys(operand).find((name) => name !== '$each');
  if (unknown) throw notSupported(`$push with ${unknown}`);
  if (!Array.isArray(operand.$each)) throw new CommandError(2, 'The argument to $each in $push must be an array');
  return operand.$each;
}

// A document pulls by its fields, operators by the element's value, anything else by equality.
function pullTest(operand: unknown): (item: unknown) => boolean {
  if (isDocument(operand))
    return elementTest(operand, isOperatorObject(operand) && !/^\$(and|or)$/.test(first(operand)));
  const test = compileCondition(operand);
  return (item) => (Array.isArray(item) ? sameValue(item, operand) : test([item]));
}

function first(doc: object): string {
  return Object.keys(doc)[0] ?? '';
}
