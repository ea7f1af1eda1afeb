import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it that are missing, for this user alone. One after the other: Node's own recursive way
 * tries for ever where a directory takes no others, as below /proc.
 * @throws the system's error, with the path that could not be made
 */
export async function makeDirectory(path: string): Promise<void> {
  const missing: string[] = [];
  for (let above = path; !(await isThere(above)); above = dirname(above)) {
    missing.unshift(above);
    // A drive that is not there.
    if (dirname(above) === above) break;
  }
  for (const directory of missing) {
    await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      // Another process was first. What is no directory shows when something is put into it.
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
