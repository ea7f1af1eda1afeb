import type { Doc } from './bson-codec.ts';
import { type Catalog, loadCatalog } from './catalog.ts';
import { type CommitQueue, createCommitQueue } from './commit-queue.ts';
import { type Cursors, createCursors } from './cursors.ts';
import { createDocuments, type Documents } from './documents.ts';
import type { Store } from './store.ts';

/** Everything a command works with. */
export interface Engine {
  store: Store;
  catalog: Catalog;
  documents: Documents;
  commits: CommitQueue;
  cursors: Cursors;
}

/** A command's implementation; a Buffer is a reply that is BSON already. */
export type CommandHandler = (engine: Engine, command: Doc, name: string) => Doc | Buffer | Promise<Doc | Buffer>;

/** Puts the parts together over an open store. */
export function createEngine(store: Store): Engine {
  const catalog = loadCatalog(store);
  const documents = createDocuments(store, catalog);
  return { store, catalog, documents, commits: createCommitQueue(store, catalog), cursors: createCursors() };
}
