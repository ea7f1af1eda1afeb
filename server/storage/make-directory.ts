import { chmod, lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Creates a directory and its missing parents with mode 0700. Creates them one by one, because Node's recursive `mkdir`
 * never ends below a directory that accepts no entries, such as /proc.
 * @throws the system's error, with the path that could not be created
 */
export async function makeDirectory(path: string): Promise<void> {
  const missing: string[] = [];
  for (let above = path; !(await isThere(above)); above = dirname(above)) {
    missing.unshift(above);
    // The drive does not exist.
    if (dirname(above) === above) break;
  }
  for (const directory of missing) {
    await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      // Another process created it. If it is not a directory, the first write into it fails.
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Folders of a data directory, and whether they hold few files, which are mended too. */
const FOLDERS = { db: true, secrets: true, files: false };
const STICKY = 0o1000;

/**
 * Removes the access of other users to an existing data directory: 0700 for it and its folders, 0600 for the database and
 * the secrets. Closed folders close what is below them, so pictures are not visited. A directory with the sticky bit, such as
 * /tmp, or with files of others, such as /srv, is shared on purpose and stays open itself. Calls `warn` for what cannot be changed, e.g. because another user owns it.
 */
export async function closeDirectory(directory: string, warn: (error: unknown, path: string) => void): Promise<void> {
  if (process.platform === 'win32') return;
  const attempt = async (path: string, work: () => Promise<void>) => {
    await work().catch((error: NodeJS.ErrnoException) => {
      // Missing at the first start, or removed by another process. The start itself refuses what is no directory.
      if (!['ENOENT', 'ENOTDIR'].includes(error.code ?? '')) warn(error, path);
    });
  };
  await attempt(directory, async () => {
    const isShared = (await readdir(directory)).some((name) => !Object.hasOwn(FOLDERS, name));
    if (!isShared) await close(directory);
  });
  for (const [name, holdsFew] of Object.entries(FOLDERS)) {
    const folder = join(directory, name);
    await attempt(folder, () => close(folder));
    if (!holdsFew) continue;
    await attempt(folder, async () => {
      for (const file of await readdir(folder)) await attempt(join(folder, file), () => closeFile(join(folder, file)));
    });
  }
}

async function close(folder: string): Promise<void> {
  const found = await stat(folder);
  if (found.isDirectory() && found.mode & 0o077 && !(found.mode & STICKY)) await chmod(folder, 0o700);
}

async function closeFile(path: string): Promise<void> {
  const found = await lstat(path);
  if (found.isFile() && found.mode & 0o077) await chmod(path, 0o600);
}
