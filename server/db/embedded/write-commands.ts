import { type Doc, decode } from './bson-codec.ts';
import type { Collection } from './catalog.ts';
import type { CommandHandler, Engine } from './engine.ts';
import { CommandError, describeError } from './errors.ts';
import { compileFilter, isOperatorObject } from './match.ts';
import { compileProjection, type Found, runQuery } from './query.ts';
import { FullDiskError } from './store.ts';
import { documentField, listField, namespaceOf, refuseUnknownFields, sortField } from './subset.ts';
import { applyUpdate, upsertBase } from './update.ts';

const UPDATE_FIELDS = ['q', 'u', 'upsert', 'multi', 'hint'];
/** Documents that one write removes on a full disk. */
const PART = 10;
const DELETE_FIELDS = ['q', 'limit', 'hint'];

/** Commands insert, update, delete and findAndModify; each runs synchronously, so it is atomic. */
export const writeCommands: Record<string, CommandHandler> = {
  insert: (engine, command) =>
    engine.commits.write(() => {
      const collection = ensureCollection(engine, namespaceOf(command, 'insert'));
      const documents = listField<Buffer>(command, 'documents');
      let n = 0;
      const writeErrors = eachItem(command, documents, (document) => {
        engine.documents.insert(collection, document);
        n++;
      });
      return { n, ...writeErrors, ok: 1 };
    }),

  update: (engine, command) =>
    engine.commits.write(
      () => {
        const ns = namespaceOf(command, 'update');
        const result = { n: 0, nModified: 0 };
        const upserted: Doc[] = [];
        const writeErrors = eachItem(command, listField<Doc>(command, 'updates'), (item, index) => {
          refuseUnknownFields('an update', item, UPDATE_FIELDS);
          if (item.multi && !Array.isArray(item.u) && !isOperatorObject(item.u))
            throw new CommandError(9, 'multi update is not supported for replacement-style update');
          const { matched, modified, upsertedId } = updateMatching(engine, ns, item);
          result.n += matched;
          result.nModified += modified;
          if (upsertedId !== undefined) upserted.push({ index, _id: upsertedId });
        });
        return { ...result, ...(upserted.length > 0 && { upserted }), ...writeErrors, ok: 1 };
      },
      !listField<Doc>(command, 'updates').some(({ upsert }) => upsert),
    ),

  delete: async (engine, command) => {
    try {
      return await remove(engine, command, Number.POSITIVE_INFINITY);
    } catch (error) {
      if (!(error instanceof FullDiskError)) throw error;
      return await removeInParts(engine, command);
    }
  },

  findAndModify: (engine, command, name) =>
    engine.commits.write(() => {
      const ns = namespaceOf(command, name);
      const project = compileProjection(documentField(command, 'fields'));
      const shown = (doc: Doc | undefined) => (doc && project ? project(doc) : (doc ?? null));
      const filter = documentField(command, 'query');
      const sort = sortField(command, 'sort');
      const collection = engine.catalog.find(ns);
      const [found] = runQuery(engine.store, collection, { filter, sort, limit: 1 });
      if (command.remove) {
        if (command.update || command.upsert || command.new)
          throw new CommandError(9, "findAndModify's remove excludes update, upsert and new");
        if (found) engine.documents.remove(collection as Collection, found);
        return { lastErrorObject: { n: found ? 1 : 0 }, value: shown(found?.doc), ok: 1 };
      }
      const item = { q: filter, u: command.update };
      if (found) {
        const before = shown(found.doc);
        const after = updateFound(engine, collection as Collection, found, item).doc;
        const value = command.new ? shown(after) : before;
        return { lastErrorObject: { n: 1, updatedExisting: true }, value, ok: 1 };
      }
      if (!command.upsert) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null, ok: 1 };
      const { _id, doc } = upsert(engine, ns, item);
      const value = command.new ? shown(doc) : null;
      return { lastErrorObject: { n: 1, updatedExisting: false, upserted: _id }, value, ok: 1 };
    }, !command.upsert),
};

function remove(engine: Engine, command: Doc, most: number): Promise<Doc & { n: number }> {
  return engine.commits.write(() => {
    const collection = engine.catalog.find(namespaceOf(command, 'delete'));
    let n = 0;
    const writeErrors = eachItem(command, listField<Doc>(command, 'deletes'), (item) => {
      refuseUnknownFields('a delete', item, DELETE_FIELDS);
      const limit = item.limit === 1 ? 1 : most - n;
      if (limit <= 0) return;
      const query = { filter: documentField(item, 'q'), limit: Number.isFinite(limit) ? limit : 0 };
      for (const found of [...runQuery(engine.store, collection, query)]) {
        engine.documents.remove(collection as Collection, found);
        n++;
      }
    });
    return { n, ...writeErrors, ok: 1 };
  }, true);
}

/** Removes a few documents in each write: a full disk has no space for many. A removal of many is not atomic. */
async function removeInParts(engine: Engine, command: Doc): Promise<Doc> {
  let n = 0;
  const writeErrors: Doc[] = [];
  for (const [index, item] of listField<Doc>(command, 'deletes').entries()) {
    let part: Doc & { n: number };
    do {
      part = await remove(engine, { ...command, deletes: [item] }, PART);
      n += part.n;
    } while (part.n === PART && item.limit !== 1);
    for (const error of (part.writeErrors as Doc[] | undefined) ?? []) writeErrors.push({ ...error, index });
    if (writeErrors.length > 0 && command.ordered !== false) break;
  }
  return { n, ...(writeErrors.length > 0 && { writeErrors }), ok: 1 };
}

// Runs a command's items; ordered ones stop at the first refusal, the others collect them.
function eachItem<T>(command: Doc, items: T[], run: (item: T, index: number) => void): { writeErrors?: Doc[] } {
  const writeErrors: Doc[] = [];
  for (const [index, item] of items.entries()) {
    try {
      run(item, index);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      writeErrors.push({ index, ...describeError(error) });
      if (command.ordered !== false) break;
    }
  }
  return writeErrors.length > 0 ? { writeErrors } : {};
}

function ensureCollection({ catalog }: Engine, ns: string): Collection {
  return catalog.find(ns) ?? catalog.create(ns);
}

function updateMatching(
  engine: Engine,
  ns: string,
  item: Doc,
): { matched: number; modified: number; upsertedId?: unknown } {
  const collection = engine.catalog.find(ns);
  const found = [
    ...runQuery(engine.store, collection, { filter: documentField(item, 'q'), limit: item.multi ? 0 : 1 }),
  ];
  if (found.length === 0 && item.upsert) return { matched: 1, modified: 0, upsertedId: upsert(engine, ns, item)._id };
  let modified = 0;
  for (const one of found) if (updateFound(engine, collection as Collection, one, item).changed) modified++;
  return { matched: found.length, modified };
}

function updateFound(engine: Engine, collection: Collection, found: Found, item: Doc): { doc: Doc; changed: boolean } {
  const doc = applyUpdate(decode(found.raw), item.u, { filter: documentField(item, 'q') });
  return { doc, changed: engine.documents.replace(collection, found, doc) };
}

function upsert(engine: Engine, ns: string, item: Doc): { _id: unknown; doc: Doc } {
  const filter = documentField(item, 'q');
  compileFilter(filter);
  const base = isOperatorObject(item.u) ? upsertBase(filter) : upsertId(filter);
  const doc = applyUpdate(base, item.u, { filter: documentField(item, 'q'), inserting: true });
  const _id = engine.documents.insert(ensureCollection(engine, ns), doc);
  return { _id, doc: { _id, ...doc } };
}

function upsertId(filter: Doc): Doc {
  const { _id } = upsertBase(filter);
  return _id === undefined ? {} : { _id };
}
