import { type Doc, decode, encode } from './bson-codec.ts';
import { CommandError, notSupported } from './errors.ts';
import { sameValue } from './key-encoding.ts';
import { compileFilter, isOperatorObject, type Predicate } from './match.ts';
import { type KeyField, keyFields } from './paths.ts';
import type { KeyRange, Store } from './store.ts';

/** Specification of an index, as in createIndexes and listIndexes. */
export interface IndexSpec {
  name: string;
  key: Doc;
  unique?: boolean;
  sparse?: boolean;
  partialFilterExpression?: Doc;
  expireAfterSeconds?: number;
}

/** An index ready for use. */
export interface Index {
  id: number;
  spec: IndexSpec;
  fields: KeyField[];
  /** True if any document has ever had several values for it. */
  multikey: boolean;
  covers?: Predicate;
}

/** A collection, without its documents. */
export interface Collection {
  id: number;
  ns: string;
  indexes: Index[];
}

const META = 0;
const DOCUMENTS = 1;
const INDEX = 2;
const NEXT_ID = Buffer.from([META, 0]);
const COLLECTIONS = { start: Buffer.from([META, 1]), end: Buffer.from([META, 2]) };

/** Key prefix of a collection's documents. */
export function documentRange(collection: Collection): KeyRange {
  return rangeOf(DOCUMENTS, collection.id);
}

/** Key prefix of an index's entries. */
export function indexRange(index: Index): KeyRange {
  return rangeOf(INDEX, index.id);
}

function rangeOf(kind: number, id: number): KeyRange {
  const start = Buffer.alloc(5);
  start[0] = kind;
  start.writeUInt32BE(id, 1);
  return { start, end: Buffer.concat([start, Buffer.from([0xff])]) };
}

/** The collections and indexes of a store, kept in memory; changes belong inside a store transaction. */
export class Catalog {
  readonly #store: Store;
  #known: Map<string, Collection> | undefined;

  /** Reads the catalog of a store. */
  constructor(store: Store) {
    this.#store = store;
    this.#known = readCollections(store);
  }

  find(ns: string): Collection | undefined {
    return this.#collections.get(ns);
  }

  list(database: string): Collection[] {
    return this.all().filter(({ ns }) => ns.startsWith(`${database}.`));
  }

  all(): Collection[] {
    return [...this.#collections.values()];
  }

  create(ns: string): Collection {
    const name = ns.slice(ns.indexOf('.') + 1);
    if (name === '' || /[$\0]/.test(ns) || name.startsWith('system.') || ns.length > 255)
      throw new CommandError(73, `Invalid namespace specified '${ns}'`);
    const collection: Collection = { id: this.#nextId(), ns, indexes: [] };
    this.#collections.set(ns, collection);
    this.#save(collection);
    return collection;
  }

  drop(collection: Collection): void {
    for (const range of [documentRange(collection), ...collection.indexes.map(indexRange)]) this.#clear(range);
    this.#store.remove(catalogKey(collection.ns));
    this.#collections.delete(collection.ns);
  }

  addIndex(collection: Collection, spec: IndexSpec): Index {
    const index = readyIndex(this.#nextId(), spec, false);
    collection.indexes.push(index);
    this.#save(collection);
    return index;
  }

  dropIndex(collection: Collection, index: Index): void {
    collection.indexes = collection.indexes.filter((other) => other !== index);
    this.#clear(indexRange(index));
    this.#save(collection);
  }

  markMultikey(collection: Collection, index: Index): void {
    index.multikey = true;
    this.#save(collection);
  }

  /**
   * Discards the catalog after a failed commit. The next command reloads it; if that fails, only that command fails, and
   * no command uses a catalog that may be wrong.
   */
  reload(): void {
    this.#known = undefined;
  }

  get #collections(): Map<string, Collection> {
    this.#known ??= readCollections(this.#store);
    return this.#known;
  }

  #save({ ns, id, indexes }: Collection): void {
    const specs = indexes.map(({ id, spec, multikey }) => ({ id, spec, multikey }));
    this.#store.put(catalogKey(ns), encode({ ns, id, indexes: specs }));
  }

  #nextId(): number {
    const id = (this.#store.get(NEXT_ID)?.readUInt32BE() ?? 0) + 1;
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(id);
    this.#store.put(NEXT_ID, bytes);
    return id;
  }

  #clear(range: KeyRange): void {
    for (const { key } of [...this.#store.scan(range)]) this.#store.remove(key);
  }
}

function readCollections(store: Store): Map<string, Collection> {
  const found = new Map<string, Collection>();
  for (const { value } of store.scan(COLLECTIONS)) {
    const { ns, id, indexes } = decode(value) as unknown as Collection;
    const ready = indexes.map((index) => readyIndex(index.id, index.spec, index.multikey));
    found.set(ns, { ns, id, indexes: ready });
  }
  return found;
}

function catalogKey(ns: string): Buffer {
  return Buffer.concat([COLLECTIONS.start, Buffer.from(ns)]);
}

function readyIndex(id: number, spec: IndexSpec, multikey: boolean): Index {
  const covers = spec.partialFilterExpression && compileFilter(spec.partialFilterExpression);
  return { id, spec, fields: keyFields(spec.key), multikey, covers };
}

const INDEX_OPTIONS = ['name', 'key', 'unique', 'sparse', 'partialFilterExpression', 'expireAfterSeconds'];
const PARTIAL_OPERATORS = ['$eq', '$exists', '$gt', '$gte', '$lt', '$lte', '$in'];

/**
 * Reads an index as createIndexes sends it.
 * @throws CommandError 67 for a malformed one, 115 for a kind outside the subset
 */
export function readIndexSpec(raw: Doc): IndexSpec {
  const { v: _version, background: _background, ns: _namespace, ...spec } = raw;
  const unknown = Object.keys(spec).find((option) => !INDEX_OPTIONS.includes(option));
  if (unknown) throw notSupported(`the index option ${unknown}`);
  const fields = Object.entries(spec.key as Doc);
  if (fields.length === 0) throw new CommandError(67, 'Index keys cannot be an empty object');
  for (const [path, direction] of fields) {
    if (typeof direction !== 'number' || direction === 0) throw notSupported(`an index of type ${String(direction)}`);
    if (path.split('.').some((part) => part === '' || part.startsWith('$')))
      throw notSupported(`an index on the path '${path}'`);
  }
  if (spec.expireAfterSeconds !== undefined && (fields.length > 1 || typeof spec.expireAfterSeconds !== 'number'))
    throw new CommandError(67, 'TTL indexes are single-field indexes with a number of seconds');
  for (const [path, condition] of Object.entries((spec.partialFilterExpression ?? {}) as Doc)) {
    const operators = isOperatorObject(condition) ? Object.entries(condition) : [];
    const usable = operators.every(([name, operand]) => PARTIAL_OPERATORS.includes(name) && operand !== false);
    if (path.startsWith('$') || !usable) throw notSupported(`a partial filter on '${path}' with other operators`);
  }
  for (const flag of ['unique', 'sparse']) if (!spec[flag]) delete spec[flag];
  return spec as unknown as IndexSpec;
}

/** Compares two indexes without their names. */
export function sameIndex(a: IndexSpec, b: IndexSpec): boolean {
  const { name: _a, ...first } = a;
  const { name: _b, ...second } = b;
  const options = (spec: object) => Object.fromEntries(Object.entries(spec).sort(([x], [y]) => (x < y ? -1 : 1)));
  return sameValue(options(first), options(second));
}
