import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { DamagedFileError } from '../errors.ts';

/** Bytes of a file as its record states them. */
export interface ToldFacts {
  /** Bytes. */
  size: number;
  /** SHA-256, in hex. */
  sha256: string;
}

/** State of a file: `unknown` where the store alone could tell. */
export type FileState = 'intact' | 'damaged' | 'missing' | 'unknown';

/** Files that are remembered as intact. */
const MOST = 20_000;
/** Time for which an unchanged file is not read again, in milliseconds: disks also lose bytes that nobody writes. */
const GOOD_MS = 600_000;
const READ_BYTES = 256 * 1024;

/**
 * Creates the comparison of local files with their hashes. A file is read once and remembered while device, inode, size and
 * times stay the same, for ten minutes.
 */
export function createVerifier({ monotonicNow = () => performance.now() }: { monotonicNow?: () => number } = {}) {
  const intact = new Map<string, number>();
  const running = new Map<string, Promise<boolean>>();

  function remember(id: string): void {
    intact.delete(id);
    intact.set(id, monotonicNow());
    const [oldest] = intact.keys();
    if (intact.size > MOST && oldest !== undefined) intact.delete(oldest);
  }

  async function check(path: string, { size, sha256 }: ToldFacts): Promise<FileState> {
    const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (!handle) return 'missing';
    try {
      const found = await handle.stat({ bigint: true });
      if (found.size !== BigInt(size)) return 'damaged';
      const { dev, ino, mtimeNs, ctimeNs } = found;
      const id = [dev, ino, size, mtimeNs, ctimeNs, sha256].join(' ');
      const at = intact.get(id);
      if (at !== undefined && monotonicNow() - at < GOOD_MS) return 'intact';
      const pending = running.get(id) ?? hashes(handle, sha256).finally(() => running.delete(id));
      running.set(id, pending);
      if (!(await pending)) return 'damaged';
      remember(id);
      return 'intact';
    } finally {
      await handle.close();
    }
  }

  return {
    check,

    /** Returns `use` so that it rejects with a {@link DamagedFileError} if the bytes of its file are not those that were told. */
    before<T>(key: string, use: (path: string) => Promise<T>, told: ToldFacts | undefined) {
      return async (path: string): Promise<T> => {
        if (told && (await check(path, told)) === 'damaged') throw new DamagedFileError(key);
        return use(path);
      };
    },
  };
}

async function hashes(handle: FileHandle, sha256: string): Promise<boolean> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, at);
    if (bytesRead === 0) return hash.digest('hex') === sha256;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}
