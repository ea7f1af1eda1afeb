import { HostError } from '../host-error.ts';

/** A folder the user has opened for reading and writing. */
export type Folder = FileSystemDirectoryHandle;

/** Files of a folder, by path below it, e.g. `press/harbour.jpg`. */
export interface FolderFiles {
  /** Lists the paths of all files by name, except in folders with a leading dot. */
  list(): Promise<string[]>;
  /** Returns a file; null if there is none. */
  read(path: string): Promise<File | null>;
  /** Returns the names in the folder of a path in lower case, since many file systems ignore case. */
  namesBeside(path: string): Promise<Set<string>>;
  /** Writes a file atomically and creates its folders. @throws HostError `no_space`, `forbidden` */
  write(path: string, content: Blob): Promise<void>;
  /** Removes a file, and folders of the backup that are empty then. Does nothing if there is none. */
  remove(path: string): Promise<void>;
}

/** Splits a path into its folders and its name. */
export function splitPath(path: string): { folders: string[]; name: string } {
  const parts = path.split('/');
  return { folders: parts.slice(0, -1), name: parts.at(-1) ?? '' };
}

/** Opens the files of a folder. */
export function openFolder(root: Folder): FolderFiles {
  return {
    list: () => listPaths(root, ''),
    read: (path) => readPath(root, path),
    async namesBeside(path) {
      const names = new Set<string>();
      const folder = await folderOf(root, path);
      if (folder) for await (const name of folder.keys()) names.add(name.toLowerCase());
      return names;
    },
    write: (path, content) => writeAtomically(root, path, content),
    remove: (path) => removePath(root, path),
  };
}

async function listPaths(folder: Folder, prefix: string): Promise<string[]> {
  const entries: FileSystemHandle[] = [];
  for await (const entry of folder.values()) entries.push(entry);
  const paths: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.kind === 'file') paths.push(prefix + entry.name);
    else if (!entry.name.startsWith('.')) paths.push(...(await listPaths(entry as Folder, `${prefix}${entry.name}/`)));
  }
  return paths;
}

/** Returns the folder of a path; null if it is missing and not to be created. */
async function folderOf(root: Folder, path: string, create = false): Promise<Folder | null> {
  let folder = root;
  try {
    for (const name of splitPath(path).folders) folder = await folder.getDirectoryHandle(name, { create });
    return folder;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function readPath(root: Folder, path: string): Promise<File | null> {
  try {
    const handle = await (await folderOf(root, path))?.getFileHandle(splitPath(path).name);
    return (await handle?.getFile()) ?? null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function writeAtomically(root: Folder, path: string, content: Blob): Promise<void> {
  try {
    const folder = await folderOf(root, path, true);
    const handle = await folder?.getFileHandle(splitPath(path).name, { create: true });
    const stream = await handle?.createWritable();
    try {
      await stream?.write(content);
      // The file changes only here, as a whole.
      await stream?.close();
    } catch (error) {
      await stream?.abort().catch(() => {});
      throw error;
    }
  } catch (error) {
    throw toWriteError(error);
  }
}

async function removePath(root: Folder, path: string): Promise<void> {
  const { folders, name } = splitPath(path);
  const folder = await folderOf(root, path);
  try {
    await folder?.removeEntry(name);
  } catch (error) {
    if (!isMissing(error)) throw toWriteError(error);
  }
  if (folders.length === 0 || !folder || !(await isEmpty(folder))) return;
  // A folder of the user stays, even if it is empty.
  if (folders[0]?.startsWith('.')) await removePath(root, folders.join('/'));
}

async function isEmpty(folder: Folder): Promise<boolean> {
  for await (const _ of folder.values()) return false;
  return true;
}

function isMissing(error: unknown): boolean {
  return ['NotFoundError', 'TypeMismatchError'].includes((error as { name?: string })?.name ?? '');
}

function toWriteError(error: unknown): HostError {
  const name = (error as { name?: string })?.name;
  if (name === 'QuotaExceededError') return new HostError('no_space', 'There is no space left.', { cause: error });
  if (name === 'NotAllowedError' || name === 'NoModificationAllowedError') {
    return new HostError('forbidden', 'The folder may not be written.', { cause: error });
  }
  return new HostError('failed', `The folder could not be written: ${(error as Error)?.message}`, { cause: error });
}
