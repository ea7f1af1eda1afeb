import { Long } from 'bson';
import { type Doc, isDocument } from './bson-codec.ts';
import { CommandError, notSupported } from './errors.ts';

/** Reads the namespace of a command: database and collection. @throws CommandError 73 */
export function namespaceOf(command: Doc, field: string): string {
  const collection = command[field];
  if (typeof collection !== 'string' || collection === '')
    throw new CommandError(73, `'${field}' needs the name of a collection`);
  return `${command.$db}.${collection}`;
}

/** Reads a document field; empty if it is missing. @throws CommandError 14 */
export function documentField(doc: Doc, field: string): Doc {
  const value = doc[field] ?? {};
  if (!isDocument(value)) throw new CommandError(14, `'${field}' has to be a document`);
  return value;
}

/** Reads a field that is an array of documents or of BSON. @throws CommandError 14 */
export function listField<T extends Doc | Buffer>(doc: Doc, field: string): T[] {
  const value = doc[field];
  if (!Array.isArray(value)) throw new CommandError(14, `'${field}' has to be an array`);
  return value as T[];
}

/** Reads a non-negative integer; undefined if it is missing. @throws CommandError 2 */
export function countField(doc: Doc, field: string): number | undefined {
  const value = doc[field];
  if (value === undefined || value === null) return undefined;
  const count = value instanceof Long ? value.toNumber() : value;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0)
    throw new CommandError(2, `'${field}' has to be a whole number, not negative`);
  return count;
}

/** Reads the fields of a sort. @throws CommandError 2 for directions other than 1 and -1 */
export function sortField(doc: Doc, field: string): Doc {
  const sort = documentField(doc, field);
  for (const [path, direction] of Object.entries(sort)) {
    if (isDocument(direction) || path.startsWith('$')) throw notSupported(`this sort by '${path}'`);
    if (direction !== 1 && direction !== -1) throw new CommandError(15975, '$sort key ordering must be 1 or -1');
  }
  return sort;
}

/** Rejects a document with unsupported fields. @throws CommandError 115 */
export function refuseUnknownFields(where: string, doc: Doc, accepted: string[]): void {
  for (const [field, value] of Object.entries(doc))
    if (!accepted.includes(field) && value !== undefined && value !== null)
      throw notSupported(`${where} with '${field}'`);
}
