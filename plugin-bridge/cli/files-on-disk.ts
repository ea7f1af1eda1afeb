import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pLimit from 'p-limit';

/** Returns the SHA-256 of bytes in hex. */
export function hashBytes(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Bytes of a file that are read at once. */
const CHUNK = 256 * 1024;

/** Returns the SHA-256 of a file in hex; undefined if there is none. */
export async function hashFile(path: string): Promise<string | undefined> {
  try {
    // A stream takes twice the time, most of a run that finds everything done.
    const file = await open(path);
    try {
      const hash = createHash('sha256');
      const buffer = Buffer.allocUnsafe(CHUNK);
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, CHUNK);
        if (bytesRead === 0) return hash.digest('hex');
        hash.update(buffer.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/**
 * Makes a folder with those above it. Not by `recursive`, which never ends where the system refuses new folders with ENOENT, as in
 * /proc.
 * @throws the error of the file system; ENOTDIR if a file has the name
 */
export async function makeFolder(folder: string): Promise<void> {
  const make = () =>
    mkdir(folder).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      if ((await stat(folder)).isDirectory()) return;
      throw Object.assign(new Error(`${folder} is a file, not a folder`), { code: 'ENOTDIR' });
    });
  try {
    await make();
  } catch (error) {
    const above = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw error;
    await makeFolder(above);
    await make();
  }
}

/**
 * Writes a temporary file beside `path` and renames it, so that no reader sees a partial file. Creates the folder. A symbolic
 * link at `path` is replaced; its target is left unchanged.
 */
export async function writeAtomically(path: string, content: Uint8Array | string): Promise<void> {
  const folder = dirname(path);
  await makeFolder(folder);
  // Patterns skip names with a leading dot, also what a killed run has left. A predictable name could be a symbolic link, and one with
  // that of the target too long.
  const temporary = join(folder, `.imagewright-${randomBytes(8).toString('hex')}.part`);
  try {
    await writeFile(temporary, content, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Runs `work` on all items, `limit` at once. After a failure it starts no further item and throws the first error. */
export async function forEachLimited<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>) {
  const failures: unknown[] = [];
  await pLimit(limit).map(items, async (item) => {
    if (failures.length === 0) await work(item).catch((error) => failures.push(error));
  });
  if (failures.length > 0) throw failures[0];
}
