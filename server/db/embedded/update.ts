import { type Doc, isDocument } from './bson-codec.ts';
import { CommandError, notSupported } from './errors.ts';
import { compareValues, sameValue } from './key-encoding.ts';
import { compileCondition, elementTest, isOperatorObject } from './match.ts';
import { resolveTargets, type Target, type TargetContext } from './update-targets.ts';

/** An update's parts besides the update document itself. */
export interface UpdateOptions {
  filter: Doc;
  /** True if an upsert inserts the document, so that $setOnInsert applies. */
  inserting?: boolean;
}

type Operator = (target: Target, operand: unknown, path: string) => void;

const OPERATORS: Record<string, Operator> = {
  $set: (target, operand) => target.write(operand),
  $setOnInsert: (target, operand) => target.write(operand),
  $unset: (target) => target.remove(),
  $inc: increment,
  $min: (target, operand) => keepExtreme(target, operand, -1),
  $max: (target, operand) => keepExtreme(target, operand, 1),
  $push: (target, operand, path) => target.write([...(arrayAt(target, path) ?? []), ...pushedItems(operand)]),
  $pull(target, operand, path) {
    const matches = pullTest(operand);
    target.write(arrayAt(target, path)?.filter((item) => !matches(item)));
  },
};

const REMOVERS = new Set(['$unset', '$pull']);

/**
 * Applies a replacement or update operators to a document and returns the result; the given document may be changed.
 * @throws CommandError with MongoDB's code: 14, 28, 40, 66, 2, 9, 52, or 115 for an operator outside the subset
 */
export function applyUpdate(doc: Doc, update: unknown, options: UpdateOptions): Doc {
  if (Array.isArray(update)) throw notSupported('an update pipeline');
  if (!isDocument(update)) throw new CommandError(9, 'an update has to be a document');
  const id = doc._id;
  const updated = isOperatorObject(update) ? applyOperators(doc, update, options) : replace(doc, update);
  if (id !== undefined && !(updated._id !== undefined && sameValue(updated._id, id)))
    throw new CommandError(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
  return updated;
}

/** Builds the initial document of an upsert from the equality conditions of its filter. */
export function upsertBase(filter: Doc, base: Doc = {}): Doc {
  const set = (path: string, value: unknown) => {
    for (const target of resolveTargets(base, path, { create: true })) target.write(value);
  };
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and') for (const branch of condition as Doc[]) upsertBase(branch, base);
    else if (key.startsWith('$')) continue;
    else if (!isOperatorObject(condition)) set(key, condition);
    else if ('$eq' in condition) set(key, condition.$eq);
    else if (Array.isArray(condition.$in) && condition.$in.length === 1) set(key, condition.$in[0]);
  }
  return base;
}

function replace(doc: Doc, replacement: Doc): Doc {
  const dollar = Object.keys(replacement).find((name) => name.startsWith('$'));
  if (dollar) throw new CommandError(52, `The dollar ($) prefixed field '${dollar}' is not allowed in a replacement`);
  return doc._id === undefined ? replacement : { _id: doc._id, ...replacement };
}

function applyOperators(doc: Doc, update: Doc, options: UpdateOptions): Doc {
  const entries = Object.entries(update).flatMap(([name, changes]) => {
    const operator = OPERATORS[name];
    if (!operator) throw notSupported(`the update operator ${name}`);
    if (!isDocument(changes)) throw new CommandError(9, `Modifiers operate on fields but ${name} has no document`);
    return Object.entries(changes).map(([path, operand]) => ({ name, operator, path, operand }));
  });
  refuseConflicts(entries.map((entry) => entry.path));
  for (const { name, operator, path, operand } of entries) {
    if (name === '$setOnInsert' && !options.inserting) continue;
    const context: TargetContext = { create: !REMOVERS.has(name), query: options.filter };
    for (const target of resolveTargets(doc, path, context)) operator(target, operand, path);
  }
  return doc;
}

function refuseConflicts(paths: string[]): void {
  const sorted = paths.map((path) => `${path}.`).sort();
  for (let at = 1; at < sorted.length; at++) {
    const path = sorted[at] as string;
    if (path.startsWith(sorted[at - 1] as string))
      throw new CommandError(40, `Updating the path '${path.slice(0, -1)}' would create a conflict`);
  }
}

function increment(target: Target, operand: unknown, path: string): void {
  const value = target.read();
  if (typeof operand !== 'number') throw new CommandError(14, `Cannot increment '${path}' with a non-numeric argument`);
  if (value !== undefined && typeof value !== 'number')
    throw new CommandError(14, `Cannot apply $inc to '${path}': it holds a value that is not a number`);
  target.write((value ?? 0) + operand);
}

function keepExtreme(target: Target, operand: unknown, sign: 1 | -1): void {
  const value = target.read();
  if (value === undefined || compareValues(operand, value) * sign > 0) target.write(operand);
}

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
