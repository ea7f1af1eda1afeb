import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { GoneError } from './deliver.ts';

/** Age after which a file that no run has used is removed, in ms. */
const UNUSED_MS = 30 * 24 * 3_600_000;

/** Opens the folder of files that local runs have made, by SHA-256: a removed result is copied instead of made again. */
export function openLocalCache(folder: string) {
  return {
    folder,

    /** Takes over a file below the folder. */
    keep: (path: string, sha256: string): Promise<void> => rename(path, join(folder, sha256)),

    /** Reads a file and notes that it was used. @throws GoneError */
    async read(sha256: string): Promise<Uint8Array> {
      const path = join(folder, sha256);
      const bytes = await readFile(path).catch(() => {
        throw new GoneError(`${path} is not in the cache`);
      });
      const now = new Date();
      await utimes(path, now, now).catch(() => {});
      return bytes;
    },

    /** Removes what was not used for long, and what killed runs have left. */
    async sweep(): Promise<void> {
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name);
        const found = await stat(path).catch(() => undefined);
        if (found && Date.now() - found.mtimeMs > UNUSED_MS) await rm(path, { force: true });
      }
    },
  };
}

/** The folder of files that local runs have made. */
export type LocalCache = ReturnType<typeof openLocalCache>;
