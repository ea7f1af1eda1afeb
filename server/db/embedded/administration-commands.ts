import { type Doc, encode, encodeCursorReply } from './bson-codec.ts';
import { type Collection, type IndexSpec, readIndexSpec, sameIndex } from './catalog.ts';
import type { CommandHandler, Engine } from './engine.ts';
import { CommandError } from './errors.ts';
import { sameValue } from './key-encoding.ts';
import { compileFilter } from './match.ts';
import { documentField, listField, namespaceOf } from './subset.ts';
import { MAX_MESSAGE_BYTES } from './wire.ts';

const ID_INDEX: IndexSpec = { name: '_id_', key: { _id: 1 } };

/** Commands for collections and indexes, and those of a driver's handshake. */
export const administrationCommands: Record<string, CommandHandler> = {
  createIndexes: (engine, command) =>
    engine.commits.write(() => {
      const ns = namespaceOf(command, 'createIndexes');
      const specs = listField<Doc>(command, 'indexes').map(readIndexSpec);
      const existing = engine.catalog.find(ns);
      const collection = existing ?? engine.catalog.create(ns);
      const numIndexesBefore = collection.indexes.length + 1;
      for (const spec of specs) createIndex(engine, collection, spec);
      const numIndexesAfter = collection.indexes.length + 1;
      return { numIndexesBefore, numIndexesAfter, createdCollectionAutomatically: !existing, ok: 1 };
    }),

  listIndexes(engine, command) {
    const ns = namespaceOf(command, 'listIndexes');
    const { indexes } = existingCollection(engine, ns);
    const specs = [ID_INDEX, ...indexes.map(({ spec }) => spec)];
    return encodeCursorReply(
      ns,
      0n,
      'firstBatch',
      specs.map((spec) => encode({ v: 2, ...spec })),
    );
  },

  dropIndexes: (engine, command) =>
    engine.commits.write(() => {
      const collection = existingCollection(engine, namespaceOf(command, 'dropIndexes'));
      const nIndexesWas = collection.indexes.length + 1;
      const wanted = command.index;
      for (const index of selectIndexes(collection, wanted)) engine.catalog.dropIndex(collection, index);
      return { nIndexesWas, ok: 1 };
    }),

  listCollections(engine, command) {
    const matches = compileFilter(documentField(command, 'filter'));
    const database = String(command.$db);
    const infos = engine.catalog.list(database).map(({ ns }) => {
      const name = ns.slice(database.length + 1);
      const idIndex = { v: 2, ...ID_INDEX };
      return {
        name,
        type: 'collection',
        ...(!command.nameOnly && { options: {}, info: { readOnly: false }, idIndex }),
      };
    });
    return encodeCursorReply(`${database}.$cmd.listCollections`, 0n, 'firstBatch', infos.filter(matches).map(encode));
  },

  create: (engine, command) =>
    engine.commits.write(() => {
      const ns = namespaceOf(command, 'create');
      if (engine.catalog.find(ns)) throw new CommandError(48, `Collection ${ns} already exists.`);
      engine.catalog.create(ns);
      return { ok: 1 };
    }),

  drop: (engine, command) =>
    engine.commits.write(() => {
      const collection = engine.catalog.find(namespaceOf(command, 'drop'));
      if (collection) engine.catalog.drop(collection);
      return { ok: 1 };
    }),

  dropDatabase: (engine, command) =>
    engine.commits.write(() => {
      for (const collection of engine.catalog.list(String(command.$db))) engine.catalog.drop(collection);
      return { dropped: command.$db, ok: 1 };
    }),

  // Without logicalSessionTimeoutMinutes a driver sends no sessions, no transactions and no retried writes.
  hello: () => ({
    helloOk: true,
    isWritablePrimary: true,
    ismaster: true,
    maxBsonObjectSize: 16 * 1024 * 1024,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    minWireVersion: 0,
    maxWireVersion: 21,
    readOnly: false,
    ok: 1,
  }),

  ping: () => ({ ok: 1 }),
  endSessions: () => ({ ok: 1 }),
  buildInfo: () => ({
    version: '7.0.14',
    versionArray: [7, 0, 14, 0],
    modules: ['embedded'],
    maxBsonObjectSize: 16 * 1024 * 1024,
    ok: 1,
  }),
  connectionStatus: () => ({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] }, ok: 1 }),
};

function existingCollection({ catalog }: Engine, ns: string): Collection {
  const collection = catalog.find(ns);
  if (!collection) throw new CommandError(26, `ns does not exist: ${ns}`);
  return collection;
}

function createIndex(engine: Engine, collection: Collection, spec: IndexSpec): void {
  if (sameValue(spec.key, ID_INDEX.key)) return;
  const sameName = collection.indexes.find((index) => index.spec.name === spec.name);
  const twin = collection.indexes.find((index) => sameIndex(index.spec, spec));
  if (sameName && sameName === twin) return;
  if (sameName) throw new CommandError(86, `An index named ${spec.name} exists with other keys or options`);
  if (twin) throw new CommandError(85, `Index already exists with a different name: ${twin.spec.name}`);
  const index = engine.catalog.addIndex(collection, spec);
  try {
    engine.documents.build(collection, index);
  } catch (error) {
    engine.catalog.dropIndex(collection, index);
    throw error;
  }
}

function selectIndexes(collection: Collection, wanted: unknown): Collection['indexes'] {
  if (wanted === '*') return collection.indexes;
  if (wanted === '_id_') throw new CommandError(72, 'cannot drop _id index');
  const names = Array.isArray(wanted) ? wanted : [wanted];
  return names.map((name) => {
    const index = collection.indexes.find(({ spec }) => spec.name === name || sameValue(spec.key, name));
    if (!index) throw new CommandError(27, `index not found with name [${String(name)}]`);
    return index;
  });
}
