import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

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
