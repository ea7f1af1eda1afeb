import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { HostError } from '../host-error.ts';

/** Changes of files. Each is one step, which happens whole or not at all. */
export interface Disk {
  /** Writes a new file, and its folders. @throws HostError `no_space`, `forbidden` */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Renames a file over another. @throws HostError `no_space`, `forbidden` */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file; does nothing if there is none. */
  remove(path: string): Promise<void>;
}

/** The disk of this machine. Written bytes are on it before the next step begins. */
export const nodeDisk: Disk = {
  write: (path, bytes) =>
    named(async () => {
      await fs.mkdir(dirname(path), { recursive: true });
      // Not through a link, which could lead anywhere.
      const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = fs.constants;
      const file = await fs.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
    }),
  rename: (from, to) => named(() => fs.rename(from, to)),
  remove: (path) => fs.rm(path, { force: true }),
};

/** Returns the bytes of a file; null if there is none. */
export async function readIfThere(path: string): Promise<Buffer | null> {
  return fs.readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return null;
    throw error;
  });
}

/** Tests whether a file is there. */
export async function isFile(path: string): Promise<boolean> {
  return (await fs.stat(path).catch(() => null))?.isFile() ?? false;
}

/** Returns the SHA-256 in hexadecimal. */
export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Creates a reader of SHA-256 sums: null where there is no file. It reads a file again when its size or its times differ. */
export function createHashes(): (path: string) => Promise<string | null> {
  const known = new Map<string, { stamp: string; sha256: string }>();
  return async (path) => {
    const found = await fs.stat(path).catch(() => null);
    if (!found?.isFile()) return null;
    const stamp = `${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
    const before = known.get(path);
    if (before?.stamp === stamp) return before.sha256;
    const sha256 = hashOf(await fs.readFile(path));
    known.set(path, { stamp, sha256 });
    return sha256;
  };
}

async function named(work: () => Promise<void>): Promise<void> {
  await work().catch((error: NodeJS.ErrnoException) => {
    const options = { cause: error };
    if (['ENOSPC', 'EDQUOT'].includes(error.code ?? '')) {
      throw new HostError('no_space', 'The disk of the site is full.', options);
    }
    if (['EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) {
      throw new HostError('forbidden', 'The site may not write into its folder of images.', options);
    }
    throw error;
  });
}
