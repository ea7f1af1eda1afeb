import { HostError } from '../host-error.ts';

/** A folder that a person has let the page read and write. */
export type Folder = FileSystemDirectoryHandle;

/** Files of a folder by their paths below it, e.g. `press/harbour.jpg`. */
export interface FolderFiles {
  /** Paths of all files, in the order of their names; folders that begin with a dot are left out. */
  list(): Promise<string[]>;
  /** The file; null when there is none. */
  read(path: string): Promise<File | null>;
  /** Names in the folder of a path, in small letters: file systems often take `A.JPG` and `a.jpg` for the same. */
  namesBeside(path: string): Promise<Set<string>>;
  /** Writes the whole file or leaves it as it was; makes folders. @throws HostError `no_space`, `forbidden` */
  write(path: string, content: Blob): Promise<void>;
  /** Removes a file, and folders that are empty then. Nothing happens when there is none. */
  remove(path: string): Promise<void>;
}

/** Splits a path into its folders and its name. */
export function splitPath(path: string): { folders: string[]; name: string } {
  const parts = path.split('/');
  return { folders: parts.slice(0, -1), name: parts.at(-1) ?? '' };
}

/** Opens the files of a folder. */
export function openFolder(root: Folder): FolderFiles {
  async function walk(folder: Folder, prefix: string): Promise<string[]> {
    const entries: FileSystemHandle[] = [];
    for await (const entry of folder.values()) entries.push(entry);
    const paths: string[] = [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.kind === 'file') paths.push(prefix + entry.name);
      else if (!entry.name.startsWith('.')) paths.push(...(await walk(entry as Folder, `${prefix}${entry.name}/`)));
    }
    return paths;
  }

  async function folderOf(path: string, create = false): Promise<Folder | null> {
    let folder = root;
    try {
      for (const name of splitPath(path).folders) folder = await folder.getDirectoryHandle(name, { create });
      return folder;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async function read(path: string): Promise<File | null> {
    try {
      const handle = await (await folderOf(path))?.getFileHandle(splitPath(path).name);
      return (await handle?.getFile()) ?? null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async function isEmpty(folder: Folder): Promise<boolean> {
    for await (const _ of folder.values()) return false;
    return true;
  }

  return {
    list: () => walk(root, ''),
    read,
    async namesBeside(path) {
      const names = new Set<string>();
      const folder = await folderOf(path);
      if (folder) for await (const name of folder.keys()) names.add(name.toLowerCase());
      return names;
    },
    async write(path, content) {
      try {
        const folder = await folderOf(path, true);
        const handle = await folder?.getFileHandle(splitPath(path).name, { create: true });
        const stream = await handle?.createWritable();
        try {
          await stream?.write(content);
          // Only now does the file change, as a whole.
          await stream?.close();
        } catch (error) {
          await stream?.abort().catch(() => {});
          throw error;
        }
      } catch (error) {
        throw toWriteError(error);
      }
    },
    async remove(path) {
      const { folders, name } = splitPath(path);
      const folder = await folderOf(path);
      try {
        await folder?.removeEntry(name);
      } catch (error) {
        if (!isMissing(error)) throw toWriteError(error);
      }
      if (folders.length === 0 || !folder || !(await isEmpty(folder))) return;
      // Only folders of ours may go: a person's own folder stays, empty or not.
      if (folders[0]?.startsWith('.')) await this.remove(folders.join('/'));
    },
  };
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
