import type { Dirent } from 'node:fs';
import { mkdir, open, opendir, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { ByteSpan, ObjectStore, StoredFile } from './object-store.ts';

/** Size of a read, and so the memory per download; most exported files are smaller. */
const READ_BYTES = 256 * 1024;

/**
 * Creates the store of files in one directory, which several servers may share.
 * @throws TypeError (each method) if a key leads outside the directory
 */
export function createFolderStore({ directory }: { directory: string }): ObjectStore {
  const root = resolve(directory);
  const pathOf = (key: string) => {
    const path = resolve(root, key);
    if (!path.startsWith(root + sep)) throw new TypeError(`key leaves the store: ${JSON.stringify(key)}`);
    return path;
  };
  return {
    place: root,

    async prepare() {
      for (const folder of ['sessions', 'variants']) await mkdir(join(root, folder), { recursive: true });
    },

    putFile: (key, file) => place(file, pathOf(key)),

    open: (key, span) => openFile(pathOf(key), span),

    withLocalFile: (key, use) => use(pathOf(key)),

    async head(key) {
      const found = await stat(pathOf(key)).catch(nullWhenAbsent);
      return found && { size: found.size };
    },

    async removeMany(keys) {
      for (const key of keys) await unlink(pathOf(key)).catch(nullWhenAbsent);
    },

    async removeBelow(folder) {
      // A file created during the removal causes ENOTEMPTY: retry.
      await rm(pathOf(folder), { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
    },

    list: (folder) => listFiles(root, pathOf(folder)),

    async listFolders(folder) {
      const entries = await readdir(pathOf(folder), { withFileTypes: true }).catch(() => [] as Dirent[]);
      return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    },

    urlOf: async () => null,
  };
}

/** Moves a file to its place, which survives a power failure once this resolves. */
async function place(file: string, target: string): Promise<void> {
  const folder = dirname(target);
  const made = await mkdir(folder, { recursive: true });
  await rename(file, target);
  await flushFolder(folder);
  if (made) await flushFolder(dirname(made));
}

async function flushFolder(folder: string): Promise<void> {
  // A folder cannot be opened on Windows, and some network file systems refuse to flush one.
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

async function openFile(path: string, span?: ByteSpan) {
  const handle = await open(path, 'r').catch(nullWhenAbsent);
  if (!handle) return null;
  try {
    const { size } = await handle.stat();
    const { first, last } = span ?? { first: 0, last: size - 1 };
    const end = Math.max(first, last);
    return { stream: handle.createReadStream({ start: first, end, highWaterMark: READ_BYTES }), size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function* listFiles(root: string, folder: string): AsyncGenerator<StoredFile> {
  for await (const path of filesBelow(folder)) {
    const found = await stat(path).catch(nullWhenAbsent);
    const key = path
      .slice(root.length + 1)
      .split(sep)
      .join('/');
    if (found) yield { key, size: found.size, modifiedAt: found.mtime };
  }
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
