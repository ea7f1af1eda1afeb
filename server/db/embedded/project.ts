import { type Doc, isDocument } from './bson-codec.ts';
import { CommandError, notSupported } from './errors.ts';

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
