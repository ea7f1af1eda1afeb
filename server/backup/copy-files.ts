import { chmod, constants, copyFile, link, mkdir, opendir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

interface CopyInput {
  from: string;
  to: string;
  /** Shares the bytes of files by hard links where the file system can. @default false */
  links?: boolean;
  /** Called after each file with the totals. */
  onFile?: (files: number, bytes: number) => void;
  signal?: AbortSignal;
}

/** Left out: uploads and files that are being written, which no record names. */
const UNFINISHED = /^incoming$|\.(part|link)$/;
const AT_ONCE = 8;

/** Copies all finished files of a folder, with mode 0600 in folders of 0700. Skips files that are deleted meanwhile. */
export async function copyFiles({ from, to, links = false, onFile, signal }: CopyInput) {
  let files = 0;
  let bytes = 0;
  const copyOne = async (path: string) => {
    const size = await place(join(from, path), join(to, path), links);
    if (size === null) return;
    files += 1;
    bytes += size;
    onFile?.(files, bytes);
  };
  const running = new Set<Promise<void>>();
  for await (const path of finishedFiles(from)) {
    signal?.throwIfAborted();
    const copying = copyOne(path).finally(() => running.delete(copying));
    running.add(copying);
    if (running.size >= AT_ONCE) await Promise.race(running);
  }
  await Promise.all(running);
  return { files, bytes };
}

async function* finishedFiles(root: string, below = ''): AsyncGenerator<string> {
  const opened = await opendir(join(root, below)).catch(nullWhenAbsent);
  if (!opened) return;
  for await (const entry of opened) {
    if (UNFINISHED.test(entry.name)) continue;
    const path = join(below, entry.name);
    if (entry.isDirectory()) yield* finishedFiles(root, path);
    else if (entry.isFile()) yield path;
  }
}

/** @returns the size; null if the file has vanished */
async function place(from: string, to: string, links: boolean): Promise<number | null> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const found = await stat(from).catch(nullWhenAbsent);
  if (!found) return null;
  if (links && (await isLinked(from, to))) return found.size;
  const copying = copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  if ((await copying.then(() => true, nullWhenAbsent)) === null) return null;
  await chmod(to, 0o600);
  return found.size;
}

/** Links a file. @returns false if it cannot be linked there */
async function isLinked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (CANNOT_LINK.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

const CANNOT_LINK = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS', 'ENOENT']);

function nullWhenAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
