import type { Doc } from './bson-codec.ts';
import { Catalog } from './catalog.ts';
import { type CommitQueue, createCommitQueue } from './commit-queue.ts';
import { type Cursors, createCursors } from './cursors.ts';
import { Documents } from './documents.ts';
import type { Store } from './store.ts';

/** Dependencies of commands. */
export interface Engine {
  store: Store;
  catalog: Catalog;
  documents: Documents;
  commits: CommitQueue;
  cursors: Cursors;
}

/** Implementation of a command; a Buffer is a reply in BSON. */
export type CommandHandler = (engine: Engine, command: Doc, name: string) => Doc | Buffer | Promise<Doc | Buffer>;

/** Creates the engine over an open store. */
export function createEngine(store: Store): Engine {
  const catalog = new Catalog(store);
  const documents = new Documents(store, catalog);
  return { store, catalog, documents, commits: createCommitQueue(store, catalog), cursors: createCursors() };
}
