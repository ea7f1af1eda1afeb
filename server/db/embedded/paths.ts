import { type Doc, isDocument } from './bson-codec.ts';
import { encodeEmptyArray, encodeValue, KeyWriter } from './key-encoding.ts';

/** The fields of an index or a sort, in order; direction 1 ascends, -1 descends. */
export interface KeyField {
  path: string;
  direction: 1 | -1;
}

/** An array that is an element of an array. Conditions apply to it as a whole, not to its elements. */
export class ElementArray {
  readonly items: unknown[];

  constructor(items: unknown[]) {
    this.items = items;
  }
}

/**
 * Returns every value at the end of a dotted path, through arrays; undefined stands for a missing field.
 * The list is empty if the path ends in an array without documents. An array at a position, as `a.0`, is an ElementArray.
 */
export function valuesAt(doc: unknown, path: string): unknown[] {
  if (!path.includes('.')) return [ownField(doc as Doc, path)];
  const values: unknown[] = [];
  walk(doc, path.split('.'), 0, values);
  return values;
}

/** Returns the values at the end of a path as they are stored. */
export function storedValuesAt(doc: unknown, path: string): unknown[] {
  return valuesAt(doc, path).map((value) => (value instanceof ElementArray ? value.items : value));
}

function walk(value: unknown, parts: string[], at: number, values: unknown[]): void {
  if (at === parts.length) values.push(value);
  else if (Array.isArray(value)) {
    const part = parts[at] as string;
    if (/^\d+$/.test(part) && Number(part) < value.length) {
      const element = value[Number(part)];
      const isLast = at + 1 === parts.length;
      if (isLast) values.push(Array.isArray(element) ? new ElementArray(element) : element);
      // A path that goes on beyond a value without fields finds nothing there, not even that a field is missing.
      else if (Array.isArray(element) || isDocument(element)) walk(element, parts, at + 1, values);
    }
    for (const item of value) if (isDocument(item)) walk(item, parts, at, values);
  } else if (isDocument(value)) walk(ownField(value, parts[at] as string), parts, at + 1, values);
  else values.push(undefined);
}

function ownField(doc: Doc, name: string): unknown {
  return Object.hasOwn(doc, name) ? doc[name] : undefined;
}

/** Returns the distinct encoded index values of one path: one per array element, null for a missing field. */
export function encodedValuesAt(doc: Doc, path: string): { keys: Buffer[]; exists: boolean } {
  const values = storedValuesAt(doc, path);
  const exists = values.some((value) => value !== undefined);
  if (values.length === 1 && !Array.isArray(values[0])) return { keys: [encodeValue(values[0])], exists };
  const keys = new Map<string, Buffer>();
  const add = (key: Buffer) => keys.set(key.toString('latin1'), key);
  for (const value of values) {
    if (!Array.isArray(value)) add(encodeValue(value));
    else if (value.length === 0) add(encodeEmptyArray());
    else for (const item of value) add(encodeValue(item));
  }
  if (keys.size === 0) add(encodeValue(null));
  return { keys: [...keys.values()], exists };
}

/** Encodes the sort key of a document. An array sorts by its least element, descending by its greatest. */
export function sortKey(doc: Doc, fields: KeyField[]): Buffer {
  const writer = new KeyWriter();
  for (const { path, direction } of fields) {
    const keys = encodedValuesAt(doc, path).keys.sort(Buffer.compare);
    const key = keys[direction === 1 ? 0 : keys.length - 1] as Buffer;
    writer.raw(direction === 1 ? key : invert(key));
  }
  return writer.finish();
}

/** Inverts every bit, which converts an ascending encoding to a descending one. */
export function invert(bytes: Buffer): Buffer {
  const inverted = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < bytes.length; at++) inverted[at] = ~(bytes[at] as number);
  return inverted;
}

/** Reads `{a: 1, 'b.c': -1}` as fields. */
export function keyFields(spec: Doc): KeyField[] {
  return Object.entries(spec).map(([path, direction]) => ({ path, direction: Number(direction) < 0 ? -1 : 1 }));
}
