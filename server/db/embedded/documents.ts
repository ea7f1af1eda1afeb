import { BSONRegExp, ObjectId } from 'bson';
import { type Doc, decode, encode, firstFieldName, isDocument } from './bson-codec.ts';
import { type Catalog, type Collection, documentRange, type Index, indexRange } from './catalog.ts';
import { CommandError } from './errors.ts';
import { encodeValue } from './key-encoding.ts';
import { encodedValuesAt, invert, storedValuesAt } from './paths.ts';
import { MAX_KEY_BYTES, type Store } from './store.ts';

/** Largest document in bytes, as in MongoDB. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** A document with its key, as it was read. */
export interface StoredDocument {
  idKey: Buffer;
  raw: Buffer;
}

/** Builds the key of a document from its encoded _id. */
export function documentKey(collection: Collection, idKey: Buffer): Buffer {
  return Buffer.concat([documentRange(collection).start, idKey]);
}

/**
 * Writes single documents with their index entries, inside a store transaction. Each write computes and checks everything
 * first and then applies it, so a refused document changes nothing.
 */
export class Documents {
  readonly #store: Store;
  readonly #catalog: Catalog;

  constructor(store: Store, catalog: Catalog) {
    this.#store = store;
    this.#catalog = catalog;
  }

  /** Inserts BSON (or a document) and returns its _id. @throws CommandError 11000 */
  insert(collection: Collection, document: Buffer | Doc): unknown {
    let raw = Buffer.isBuffer(document) ? document : encode(document);
    let doc = decode(raw);
    if (firstFieldName(raw) !== '_id') {
      const { _id = new ObjectId(), ...rest } = doc;
      doc = { _id, ...rest };
      raw = encode(doc);
    }
    const idKey = encodeId(doc._id);
    checkSize(raw);
    if (this.#store.get(documentKey(collection, idKey))) throw duplicateKey(collection, undefined, doc);
    const applyIndexes = this.#planIndexes(collection, collection.indexes, idKey, undefined, doc);
    this.#store.put(documentKey(collection, idKey), raw);
    applyIndexes();
    return doc._id;
  }

  /** Stores a document's new version; false if nothing changed. @throws CommandError 11000 */
  replace(collection: Collection, { idKey, raw }: StoredDocument, updated: Doc): boolean {
    const bytes = encode(updated);
    if (bytes.equals(raw)) return false;
    checkSize(bytes);
    const applyIndexes = this.#planIndexes(collection, collection.indexes, idKey, decode(raw), updated);
    this.#store.put(documentKey(collection, idKey), bytes);
    applyIndexes();
    return true;
  }

  remove(collection: Collection, { idKey, raw }: StoredDocument): void {
    const applyIndexes = this.#planIndexes(collection, collection.indexes, idKey, decode(raw));
    this.#store.remove(documentKey(collection, idKey));
    applyIndexes();
  }

  /** Fills a new index from the collection. @throws CommandError 11000 */
  build(collection: Collection, index: Index): void {
    const { start, end } = documentRange(collection);
    for (const { key, value } of [...this.#store.scan({ start, end })]) {
      this.#planIndexes(collection, [index], key.subarray(start.length), undefined, decode(value))();
    }
  }

  /** Plans the change of index entries from the old version to the new one; either may be missing. */
  #planIndexes(collection: Collection, indexes: Index[], idKey: Buffer, old?: Doc, updated?: Doc): () => void {
    const changes = indexes.map((index) => {
      const before: Map<string, Buffer> = old ? indexEntries(index, old, idKey) : new Map();
      const after: Map<string, Buffer> = updated ? indexEntries(index, updated, idKey) : new Map();
      for (const name of [...before.keys()]) if (after.has(name) && after.delete(name)) before.delete(name);
      if (updated) this.#checkUnique(collection, index, updated, after, idKey);
      return { index, before, after };
    });
    return () => {
      for (const { index, before, after } of changes) {
        for (const entry of before.values()) this.#store.remove(entry);
        for (const entry of after.values()) this.#store.put(entry, idKey);
        if (updated && !index.multikey && isMultikey(index, updated)) this.#catalog.markMultikey(collection, index);
      }
    };
  }

  #checkUnique(collection: Collection, index: Index, doc: Doc, entries: Map<string, Buffer>, idKey: Buffer): void {
    if (!index.spec.unique) return;
    for (const entry of entries.values()) {
      const owner = this.#store.get(entry);
      if (owner && !owner.equals(idKey)) throw duplicateKey(collection, index, doc, entry);
    }
  }
}

function encodeId(id: unknown): Buffer {
  if (Array.isArray(id) || id === undefined)
    throw new CommandError(2, "The '_id' value cannot be an array or undefined");
  if (id instanceof BSONRegExp) throw new CommandError(2, "The '_id' value cannot be of type regex");
  refuseDollar(id);
  const idKey = encodeValue(id);
  if (idKey.length > MAX_KEY_BYTES - 5) throw new CommandError(17280, `_id is longer than ${MAX_KEY_BYTES} bytes`);
  return idKey;
}

/** Refuses an _id with a key that begins with `$`, at any depth. @throws CommandError 52 */
function refuseDollar(value: unknown): void {
  if (!isDocument(value) && !Array.isArray(value)) return;
  for (const [key, part] of Object.entries(value)) {
    if (key.startsWith('$')) throw new CommandError(52, `_id fields may not contain '$'-prefixed fields: ${key}`);
    refuseDollar(part);
  }
}

function checkSize(raw: Buffer): void {
  if (raw.length > MAX_DOCUMENT_BYTES)
    throw new CommandError(10334, `BSONObj size: ${raw.length} is invalid. Size must be at most ${MAX_DOCUMENT_BYTES}`);
}

function isMultikey(index: Index, doc: Doc): boolean {
  return index.fields.some(({ path }) => encodedValuesAt(doc, path).keys.length > 1);
}

/** Computes a document's entries in an index; keys of a unique index omit the _id. */
function indexEntries(index: Index, doc: Doc, idKey: Buffer): Map<string, Buffer> {
  const entries = new Map<string, Buffer>();
  if (index.covers && !index.covers(doc)) return entries;
  const fields = index.fields.map(({ path }) => encodedValuesAt(doc, path));
  if (index.spec.sparse && !fields.some(({ exists }) => exists)) return entries;
  if (fields.filter(({ keys }) => keys.length > 1).length > 1)
    throw new CommandError(171, `cannot index parallel arrays, in the index ${index.spec.name}`);
  let prefixes = [indexRange(index).start];
  fields.forEach(({ keys }, position) => {
    const parts = index.fields[position]?.direction === -1 ? keys.map(invert) : keys;
    prefixes = prefixes.flatMap((prefix) => parts.map((part) => Buffer.concat([prefix, part])));
  });
  for (const prefix of prefixes) {
    const key = index.spec.unique ? prefix : Buffer.concat([prefix, idKey]);
    if (key.length > MAX_KEY_BYTES)
      throw new CommandError(17280, `An entry of the index ${index.spec.name} is longer than ${MAX_KEY_BYTES} bytes`);
    entries.set(key.toString('latin1'), key);
  }
  return entries;
}

function duplicateKey(collection: Collection, index: Index | undefined, doc: Doc, entry?: Buffer): CommandError {
  const keyPattern = index?.spec.key ?? { _id: 1 };
  const keyValue: Doc = {};
  for (const [path] of Object.entries(keyPattern)) {
    const candidates = storedValuesAt(doc, path).flatMap((value) => (Array.isArray(value) ? value : [value]));
    const value = candidates.find((candidate) => {
      const bytes = encodeValue(candidate);
      return entry === undefined || entry.includes(bytes) || entry.includes(invert(bytes));
    });
    keyValue[path] = value ?? null;
  }
  const shown = Object.entries(keyValue).map(([path, value]) => `${path}: ${JSON.stringify(value)}`);
  const message = `E11000 duplicate key error collection: ${collection.ns} index: ${index?.spec.name ?? '_id_'}`;
  return new CommandError(11000, `${message} dup key: { ${shown.join(', ')} }`, { keyPattern, keyValue });
}
