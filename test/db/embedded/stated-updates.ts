import { type Fields, isFields, matches, order, type Value } from './statement.ts';

/** A write that MongoDB refuses; nothing is changed. */
export class Refused extends Error {}

/** Holds the value at the end of a path, or takes its place. */
interface Place {
  value: Value | undefined;
  put(value: Value | undefined): void;
}

const isPosition = (part: string) => /^\d+$/.test(part);

/** Finds the place at the end of a path, and makes what is missing on the way; null where `creates` is false and it is missing. */
function placeAt(document: Fields, path: string, creates: boolean): Place | null {
  let holder: Fields | Value[] = document;
  const parts = path.split('.');
  const last = parts.pop() as string;
  for (const part of parts) {
    const next: Value | undefined = read(holder, part, creates);
    if (next === undefined && !creates) return null;
    const child: Value = next ?? (next === null ? null : {});
    if (next === undefined) write(holder, part, child);
    if (!isFields(child) && !Array.isArray(child)) {
      if (creates) throw new Refused(`${part} has no fields`);
      return null;
    }
    holder = child;
  }
  const at = holder;
  const value = read(at, last, creates);
  if (value === undefined && !creates) return null;
  return { value, put: (changed) => write(at, last, changed) };
}

function read(holder: Fields | Value[], part: string, creates: boolean): Value | undefined {
  if (!Array.isArray(holder)) return Object.hasOwn(holder, part) ? holder[part] : undefined;
  if (isPosition(part)) return holder[Number(part)];
  if (creates) throw new Refused('an array has positions only');
  return undefined;
}

function write(holder: Fields | Value[], part: string, value: Value | undefined): void {
  if (!Array.isArray(holder)) {
    if (value === undefined) delete holder[part];
    else holder[part] = value;
    return;
  }
  while (holder.length < Number(part)) holder.push(null);
  // An element that is unset becomes null.
  holder[Number(part)] = value ?? null;
}

/** Applies one operator to one path of a copy. @throws Refused */
export function updated(document: Fields, operator: string, path: string, operand: Value): Fields {
  const copy = structuredClone(document);
  const creates = operator !== '$unset' && operator !== '$pull';
  const place = placeAt(copy, path, creates);
  if (place) CHANGES[operator]?.(place, operand);
  return copy;
}

const CHANGES: Record<string, (place: Place, operand: Value) => void> = {
  $set: (place, operand) => place.put(operand),
  $unset: (place) => place.put(undefined),
  $inc({ value = 0, put }, operand) {
    if (typeof value !== 'number' || typeof operand !== 'number') throw new Refused('no number');
    put(value + operand);
  },
  $min: ({ value, put }, operand) => (value !== undefined && order(operand, value) >= 0 ? undefined : put(operand)),
  $max: ({ value, put }, operand) => (value !== undefined && order(operand, value) <= 0 ? undefined : put(operand)),
  $push: ({ value = [], put }, operand) => put([...listOf(value), operand]),
  $pull: ({ value, put }, operand) => put(listOf(value).filter((item) => !isPulled(item, operand))),
};

function listOf(value: Value | undefined): Value[] {
  if (Array.isArray(value)) return value;
  throw new Refused('no array');
}

/** A document pulls those that match it, operators what they hold for, anything else its equals. */
function isPulled(item: Value, operand: Value): boolean {
  if (!isFields(operand)) return order(item, operand) === 0;
  if ((Object.keys(operand)[0] ?? '').startsWith('$'))
    return matches({ list: [item] }, { list: { $elemMatch: operand } });
  return isFields(item) && matches(item, operand);
}

/** The entries that a document has in an index of one field: of an array one for each element. */
function entriesOf(document: Fields, field: string): (Value | undefined)[] {
  const value = document[field];
  if (!Array.isArray(value)) return [value ?? null];
  // An empty array has an entry of its own.
  return value.length === 0 ? [undefined] : value;
}

/** Returns true if a unique index of the field refuses the document beside the others. */
export function clashes(document: Fields, others: Fields[], field: string): boolean {
  const isSame = (one: Value | undefined, other: Value | undefined) =>
    (one === undefined) === (other === undefined) && order(one, other) === 0;
  const entries = entriesOf(document, field);
  return others.some((other) => entriesOf(other, field).some((entry) => entries.some((own) => isSame(own, entry))));
}
