import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import pLimit from 'p-limit';

/** Returns the SHA-256 of bytes in hex. */
export function hashBytes(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns the SHA-256 of a file in hex; undefined if there is none. */
export async function hashFile(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/**
 * Writes a temporary file beside `path` and renames it, so that no reader sees a partial file. Creates the folder. A symbolic
 * link at `path` is replaced; its target is left unchanged.
 */
export async function writeWhole(path: string, content: Uint8Array | string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  // Patterns skip names with a leading dot, also what a killed run has left. A predictable name could be a symbolic link.
  const temporary = join(folder, `.${basename(path)}.${randomBytes(8).toString('hex')}.part`);
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
