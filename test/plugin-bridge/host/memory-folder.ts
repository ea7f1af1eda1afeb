/** A tree of files in memory, as browsers show a folder that the user has opened, with scripted faults. */
export interface MemoryFolder {
  root: FileSystemDirectoryHandle;
  /** Returns the bytes of all files by path. */
  files(): Map<string, Uint8Array>;
  write(path: string, bytes: Uint8Array): void;
  /**
   * Makes the `write`-th write or removal from now on fail; 1 is the next one. `full` fails that one alone, `crash` also all later ones
   * until {@link MemoryFolder.restart}.
   */
  failAt(write: number, how: 'crash' | 'full'): void;
  restart(): void;
}

type Tree = Map<string, Tree | Uint8Array>;

/** Gives Node the locks that browsers share between tabs; newer versions have them. */
export function provideLocks(): void {
  if (globalThis.navigator?.locks) return;
  const queues = new Map<string, Promise<unknown>>();
  const locks = {
    /** @param rest options, which may be left out, and the work */
    request(name: string, ...rest: unknown[]) {
      const work = rest.pop() as (lock: object | null) => Promise<unknown>;
      const { ifAvailable = false } = (rest[0] ?? {}) as { ifAvailable?: boolean };
      if (ifAvailable && queues.has(name)) return Promise.resolve(work(null));
      const turn = (queues.get(name) ?? Promise.resolve()).then(() => work({ name }));
      const end = turn.then(
        () => {},
        () => {},
      );
      queues.set(name, end);
      void end.then(() => queues.get(name) === end && queues.delete(name));
      return turn;
    },
  };
  Object.defineProperty(globalThis, 'navigator', { value: { locks }, configurable: true });
}

/** Creates an empty folder. */
export function createMemoryFolder(name: string): MemoryFolder {
  const tree: Tree = new Map();
  let left = Number.POSITIVE_INFINITY;
  let kind: 'crash' | 'full' = 'crash';
  const beforeWrite = () => {
    left -= 1;
    if (left > 0 || (kind === 'full' && left < 0)) return;
    throw kind === 'crash' ? new Error('The machine has stopped') : new DOMException('full', 'QuotaExceededError');
  };
  return {
    root: folderHandle(name, tree, beforeWrite),
    files: () => new Map(walk(tree)),
    write(path, bytes) {
      const parts = path.split('/');
      let place = tree;
      for (const part of parts.slice(0, -1)) {
        if (!place.has(part)) place.set(part, new Map());
        place = place.get(part) as Tree;
      }
      place.set(parts.at(-1) ?? '', bytes);
    },
    failAt(write, how) {
      left = write;
      kind = how;
    },
    restart() {
      left = Number.POSITIVE_INFINITY;
    },
  };
}

function* walk(tree: Tree, prefix = ''): Generator<[string, Uint8Array]> {
  for (const [name, entry] of tree) {
    if (entry instanceof Map) yield* walk(entry, `${prefix}${name}/`);
    else yield [prefix + name, entry];
  }
}

const missing = (name: string) => new DOMException(`${name} is missing`, 'NotFoundError');

function folderHandle(name: string, tree: Tree, beforeWrite: () => void): FileSystemDirectoryHandle {
  const handleOf = (key: string, entry: Tree | Uint8Array) =>
    entry instanceof Map ? folderHandle(key, entry, beforeWrite) : fileHandle(key, tree, beforeWrite);
  const handle = {
    kind: 'directory',
    name,
    async *keys() {
      yield* [...tree.keys()];
    },
    async *values() {
      for (const [key, entry] of [...tree]) yield handleOf(key, entry);
    },
    async getDirectoryHandle(key: string, { create = false } = {}) {
      if (!tree.has(key) && create) tree.set(key, new Map());
      const entry = tree.get(key);
      if (!(entry instanceof Map)) throw missing(key);
      return folderHandle(key, entry, beforeWrite);
    },
    async getFileHandle(key: string, { create = false } = {}) {
      if (!tree.has(key) && create) {
        beforeWrite();
        tree.set(key, new Uint8Array());
      }
      if (!(tree.get(key) instanceof Uint8Array)) throw missing(key);
      return fileHandle(key, tree, beforeWrite);
    },
    async removeEntry(key: string) {
      if (!tree.has(key)) throw missing(key);
      beforeWrite();
      tree.delete(key);
    },
  };
  return handle as unknown as FileSystemDirectoryHandle;
}

function fileHandle(name: string, tree: Tree, beforeWrite: () => void) {
  return {
    kind: 'file',
    name,
    async getFile() {
      const bytes = tree.get(name);
      if (!(bytes instanceof Uint8Array)) throw missing(name);
      return new File([bytes as Uint8Array<ArrayBuffer>], name);
    },
    async createWritable() {
      let content = new Uint8Array();
      return {
        write: async (blob: Blob) => {
          content = new Uint8Array(await blob.arrayBuffer());
        },
        close: async () => {
          beforeWrite();
          tree.set(name, content);
        },
        abort: async () => {},
      };
    },
  };
}
