import { type Doc, decode, isDocument } from './bson-codec.ts';
import { type Collection, documentRange } from './catalog.ts';
import { documentKey, type StoredDocument } from './documents.ts';
import { CommandError, notSupported } from './errors.ts';
import { compileFilter } from './match.ts';
import { keyFields, sortKey } from './paths.ts';
import { choosePlan } from './plan.ts';
import { MAX_KEY_BYTES, type Store } from './store.ts';

/** A query: filter, sort and limits. */
export interface Query {
  filter: Doc;
  sort?: Doc;
  skip?: number;
  limit?: number;
}

/** A found document, with its BSON and its decoded form. */
export interface Found extends StoredDocument {
  doc: Doc;
}

/**
 * Finds documents one by one, lazily; every candidate of the plan passes the filter again.
 * Nothing may be written to the store between two steps that are part of the same write: collect the results first.
 */
export function* runQuery(store: Store, collection: Collection | undefined, query: Query): Generator<Found> {
  const matches = compileFilter(query.filter);
  if (!collection) return;
  const fields = keyFields(query.sort ?? {});
  const plan = choosePlan(collection, query.filter, fields);
  const found = candidates(store, collection, plan, matches);
  const ordered = fields.length === 0 || plan.sorted ? found : sorted(found, fields);
  let skip = query.skip ?? 0;
  let left = query.limit || Number.POSITIVE_INFINITY;
  for (const item of ordered) {
    if (skip-- > 0) continue;
    yield item;
    if (--left <= 0) return;
  }
}

function* candidates(
  store: Store,
  collection: Collection,
  { index, ranges, exact, reverse }: ReturnType<typeof choosePlan>,
  matches: (doc: Doc) => boolean,
): Generator<Found> {
  const documentStart = documentRange(collection).start.length;
  const seen = index?.multikey ? new Set<string>() : undefined;
  for (const range of ranges) {
    for (const { key, value } of exact ? entryAt(store, range.start) : store.scan(range, reverse)) {
      const idKey = index ? value : key.subarray(documentStart);
      if (seen) {
        const name = idKey.toString('latin1');
        if (seen.has(name)) continue;
        seen.add(name);
      }
      const raw = index ? store.get(documentKey(collection, idKey)) : value;
      if (!raw) continue;
      const doc = decode(raw);
      if (matches(doc)) yield { idKey, raw, doc };
    }
  }
}

/** Reads one entry, for a fraction of what an iterator costs. */
function entryAt(store: Store, key: Buffer): { key: Buffer; value: Buffer }[] {
  // No document has a longer key, and the library throws for one.
  const value = key.length <= MAX_KEY_BYTES ? store.get(key) : undefined;
  return value ? [{ key, value }] : [];
}

function sorted(found: Iterable<Found>, fields: Parameters<typeof sortKey>[1]): Iterable<Found> {
  const keyed: { key: Buffer; idKey: Buffer; raw: Buffer }[] = [];
  for (const { idKey, raw, doc } of found) keyed.push({ key: sortKey(doc, fields), idKey, raw });
  keyed.sort((a, b) => Buffer.compare(a.key, b.key));
  return (function* () {
    for (const { idKey, raw } of keyed) yield { idKey, raw, doc: decode(raw) };
  })();
}

type Tree = Map<string, Tree | null>;

/**
 * Compiles a projection that includes or excludes fields; undefined if it would change nothing.
 * @throws CommandError 31254 for a mix of both, 115 for operators and computed fields
 */
export function compileProjection(spec: Doc | undefined): ((doc: Doc) => Doc) | undefined {
  const entries = Object.entries(spec ?? {});
  if (entries.length === 0) return undefined;
  const tree: Tree = new Map();
  let including: boolean | undefined;
  for (const [path, wanted] of entries) {
    if (typeof wanted !== 'number' && typeof wanted !== 'boolean') throw notSupported(`the projection of '${path}'`);
    if (path.split('.').some((part) => part.startsWith('$'))) throw notSupported(`the projection '${path}'`);
    if (path === '_id') continue;
    if (including !== undefined && including !== Boolean(wanted))
      throw new CommandError(31254, 'Cannot mix inclusion and exclusion in one projection');
    including = Boolean(wanted);
    addPath(tree, path);
  }
  const withId = spec?._id === undefined || Boolean(spec._id);
  including ??= withId;
  if (including === withId) tree.set('_id', null);
  const keep = including;
  return (doc) => pick(doc, tree, keep);
}

function addPath(tree: Tree, path: string): void {
  const parts = path.split('.');
  let node = tree;
  for (const part of parts.slice(0, -1)) {
    const next = node.get(part);
    if (next === null) return;
    const child: Tree = next ?? new Map();
    node.set(part, child);
    node = child;
  }
  node.set(parts[parts.length - 1] as string, null);
}

function pick(doc: Doc, tree: Tree, keep: boolean): Doc {
  const picked: Doc = {};
  for (const [name, value] of Object.entries(doc)) {
    const node = tree.get(name);
    if (node === undefined ? keep : node === null && !keep) continue;
    const projected = node ? pickNested(value, node, keep) : value;
    if (projected !== undefined) picked[name] = projected;
  }
  return picked;
}

function pickNested(value: unknown, tree: Tree, keep: boolean): unknown {
  if (Array.isArray(value))
    return value.map((item) => pickNested(item, tree, keep)).filter((item) => item !== undefined);
  if (isDocument(value)) return pick(value, tree, keep);
  return keep ? undefined : value;
}
