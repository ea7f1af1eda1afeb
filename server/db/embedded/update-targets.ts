import { type Doc, isDocument } from './bson-codec.ts';
import { CommandError, notSupported } from './errors.ts';
import { compileFilter } from './match.ts';

/** Context that resolves a path to places; `query` resolves a `$` in it. */
export interface TargetContext {
  create: boolean;
  query?: Doc;
}

/** A place in a document that an update operator reads and writes. */
export interface Target {
  read(): unknown;
  /** Sets the value; undefined leaves the place as it is. */
  write(value: unknown): void;
  /** Removes the field; an array element becomes null, as in MongoDB. */
  remove(): void;
}

/**
 * Resolves a path of an update to all its places.
 * @throws CommandError 28 if the path leads through a value without fields, 2 for a `$` that matches nothing
 */
export function resolveTargets(doc: Doc, path: string, context: TargetContext): Target[] {
  const parts = path.split('.');
  if (parts.some((part) => part === '' || part === '__proto__'))
    throw new CommandError(56, `The update path '${path}' contains an empty or forbidden field name`);
  const targets: Target[] = [];
  descend(doc, parts, 0, context, targets);
  return targets;
}

function descend(parent: unknown, parts: string[], at: number, context: TargetContext, targets: Target[]): void {
  const part = parts[at] as string;
  if (Array.isArray(parent)) {
    const index = elementIndex(parent, parts, at, context);
    if (index !== null) step(parent, index, parts, at, context, targets);
  } else if (!isDocument(parent)) {
    if (context.create)
      throw new CommandError(28, `Cannot create field '${part}' in '${parts.slice(0, at).join('.')}'`);
  } else if (part.startsWith('$')) {
    throw new CommandError(2, `The path '${parts.join('.')}' must exist and be an array to apply ${part}`);
  } else step(parent, part, parts, at, context, targets);
}

function step(
  parent: Doc | unknown[],
  key: string | number,
  parts: string[],
  at: number,
  context: TargetContext,
  targets: Target[],
): void {
  const holder = parent as Doc;
  const present = Object.hasOwn(holder, key);
  if (at === parts.length - 1) {
    if (present || context.create) targets.push(createTarget(holder, key));
  } else if (present) descend(holder[key], parts, at + 1, context, targets);
  else if (context.create) {
    const child: Doc = {};
    descend(child, parts, at + 1, context, targets);
    createTarget(holder, key).write(child);
  }
}

function createTarget(holder: Doc, key: string | number): Target {
  return {
    read: () => (Object.hasOwn(holder, key) ? holder[key] : undefined),
    write(value) {
      if (value === undefined) return;
      if (Array.isArray(holder)) while (holder.length < Number(key)) holder.push(null);
      holder[key] = value;
    },
    remove() {
      if (Array.isArray(holder)) holder[Number(key)] = null;
      else delete holder[key];
    },
  };
}

function elementIndex(array: unknown[], parts: string[], at: number, context: TargetContext): number | null {
  const part = parts[at] as string;
  if (part === '$') return matchedIndex(array, parts.slice(0, at).join('.'), context.query ?? {});
  if (/^\d{1,6}$/.test(part)) return Number(part);
  if (part.startsWith('$[')) throw notSupported(`an update of ${part}`);
  if (!context.create) return null;
  throw new CommandError(28, `Cannot create field '${part}' in the array '${parts.slice(0, at).join('.')}'`);
}

// `$` is the first element that alone satisfies a condition of the query on this array.
function matchedIndex(array: unknown[], arrayPath: string, query: Doc): number {
  for (const [key, condition] of flatten(query)) {
    if (key !== arrayPath && !key.startsWith(`${arrayPath}.`)) continue;
    const matches = compileFilter({ [`a${key.slice(arrayPath.length)}`]: condition });
    const index = array.findIndex((element) => matches({ a: [element] }));
    if (index >= 0) return index;
  }
  throw new CommandError(2, 'The positional operator did not find the match needed from the query');
}

function flatten(query: Doc): [string, unknown][] {
  return Object.entries(query).flatMap(([key, value]): [string, unknown][] =>
    key === '$and' ? (value as Doc[]).flatMap(flatten) : [[key, value]],
  );
}
