import { randomUUID } from 'node:crypto';
import type { Dirent, Stats } from 'node:fs';
import { constants, copyFile, link, mkdir, opendir, readdir, rename, rm, stat, statfs, unlink } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';

/** A file of the store. */
export interface StoredFile {
  key: string;
  size: number;
  modifiedAt: Date;
}

/** Options of {@link createLocalStore}. */
export interface StoreOptions {
  directory: string;
  /** Monotonic clock, in ms. @default performance.now */
  monotonicNow?: () => number;
}

/** Folders of a store and the absolute path of a key. */
interface Places {
  root: string;
  incoming: string;
  /** @throws TypeError if the path is outside the store */
  pathOf: (key: string) => string;
}

/** Files under one directory, named by keys like `sessions/sess_…/img_….jpg`. Every change is atomic for readers. */
export function createLocalStore({ directory, monotonicNow = () => performance.now() }: StoreOptions) {
  const root = resolve(directory);
  const incoming = join(root, 'incoming');
  const pathOf = (key: string) => {
    const path = resolve(root, key);
    if (!path.startsWith(root + sep)) throw new TypeError(`key leaves the store: ${JSON.stringify(key)}`);
    return path;
  };
  const places = { root, incoming, pathOf };
  return {
    /** Resolves a key to its absolute path. @throws TypeError if the path is outside the store */
    pathOf,

    /** Creates the folders. */
    async prepare(): Promise<void> {
      await mkdir(incoming, { recursive: true });
      await mkdir(join(root, 'sessions'), { recursive: true });
      await mkdir(join(root, 'variants'), { recursive: true });
    },

    /** Free bytes on the store's disk. */
    async freeBytes(): Promise<number> {
      const { bavail, bsize } = await statfs(root);
      return bavail * bsize;
    },
    ...temporaryFiles(places, monotonicNow),
    ...fileChanges(places),
    ...fileLookups(places),
  };
}

/** The files of the service. */
export type FileStore = ReturnType<typeof createLocalStore>;

/** Paths for files that are being received, and the removal of those that were left. */
function temporaryFiles({ root, incoming }: Places, monotonicNow: () => number) {
  /** Temporary files that the last sweep kept, each with the time since which it has not changed. */
  let temporary = new Map<string, { mtimeMs: number; since: number }>();
  return {
    /** A fresh path for a file that is being received. */
    newTemporaryFile: () => join(incoming, `${randomUUID()}.part`),

    /** Removes temporary files that were not placed. */
    async removeTemporaryFiles(files: string[]): Promise<void> {
      await Promise.all(files.map((file) => rm(file, { force: true })));
    },

    /**
     * Removes temporary files left by an interruption: incomplete uploads, and `.part` files beside their targets.
     * @param minAgeMs keeps files that were not seen unchanged for this long, because they may still be written. Measured
     *   between sweeps: modification times are unreliable if the system clock was set.
     */
    async sweepTemporaryFiles({ minAgeMs }: { minAgeMs: number }): Promise<number> {
      const at = monotonicNow();
      const before = temporary;
      temporary = new Map();
      let removed = 0;
      for await (const path of filesBelow(root)) {
        if (dirname(path) !== incoming && !path.endsWith('.part')) continue;
        const found = await stat(path).catch(nullWhenAbsent);
        if (!found) continue;
        const { mtimeMs } = found;
        const last = before.get(path);
        const since = last?.mtimeMs === mtimeMs ? last.since : at;
        if (at - since < minAgeMs) {
          temporary.set(path, { mtimeMs, since });
          continue;
        }
        await rm(path, { force: true });
        removed += 1;
      }
      return removed;
    },
  };
}

/** Places, links and removes files. */
function fileChanges({ incoming, pathOf }: Places) {
  return {
    /** Creates the folder of a key and returns the absolute path, for callers that write the file themselves. */
    async prepareFolder(key: string): Promise<string> {
      const path = pathOf(key);
      await makeFolderOf(path);
      return path;
    },

    /** Moves a complete temporary file to its key. */
    async place(temporaryFile: string, key: string): Promise<void> {
      const path = pathOf(key);
      await makeFolderOf(path);
      await rename(temporaryFile, path);
    },

    /** Gives a stored file a second key: a hard link where the file system can, else a copy. Replaces an existing target. */
    async link(from: string, to: string): Promise<void> {
      const source = pathOf(from);
      const target = pathOf(to);
      const temporary = join(incoming, `${randomUUID()}.link`);
      await makeFolderOf(target);
      try {
        await link(source, temporary).catch(async (error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') throw error;
          await copyFile(source, temporary, constants.COPYFILE_FICLONE);
        });
        await rename(temporary, target);
      } finally {
        // rename(2) does nothing when both names are already the same file, and leaves the temporary one.
        await rm(temporary, { force: true });
      }
    },

    async remove(key: string): Promise<void> {
      await unlink(pathOf(key)).catch(nullWhenAbsent);
    },

    async removeFolder(key: string): Promise<void> {
      // A file created during the removal causes ENOTEMPTY: retry.
      await rm(pathOf(key), { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
    },
  };
}

/** Finds files. */
function fileLookups({ root, pathOf }: Places) {
  return {
    /** Size and times of a file; null if it does not exist. */
    async stat(key: string): Promise<Stats | null> {
      return stat(pathOf(key)).catch(nullWhenAbsent);
    },

    /** Names of the folders directly below a key. */
    async listFolders(key: string): Promise<string[]> {
      const entries = await readdir(pathOf(key), { withFileTypes: true }).catch(() => [] as Dirent[]);
      return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    },

    /** Every file below a key. */
    async *list(key: string): AsyncGenerator<StoredFile> {
      for await (const path of filesBelow(pathOf(key))) {
        const found = await stat(path).catch(nullWhenAbsent);
        if (found) {
          const relative = path
            .slice(root.length + 1)
            .split(sep)
            .join('/');
          yield { key: relative, size: found.size, modifiedAt: found.mtime };
        }
      }
    },
  };
}

async function makeFolderOf(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
}

/** Yields the paths of all files below a folder; skips folders that were removed meanwhile. */
async function* filesBelow(folder: string): AsyncGenerator<string> {
  const opened = await opendir(folder).catch(() => null);
  if (!opened) return;
  for await (const entry of opened) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

function nullWhenAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
