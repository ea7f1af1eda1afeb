import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** Options of {@link createScratch}. */
export interface ScratchOptions {
  directory: string;
  /** Monotonic clock, in ms. @default performance.now */
  monotonicNow?: () => number;
}

/** Creates the place of files that are being received, written or read by this server. */
export function createScratch({ directory, monotonicNow = () => performance.now() }: ScratchOptions) {
  /** Files that the last sweep kept, each with the time since which it has not changed. */
  let kept = new Map<string, { mtimeMs: number; since: number }>();
  return {
    async prepare(): Promise<void> {
      await mkdir(directory, { recursive: true });
    },

    /** Returns a new path, in an existing directory. */
    newFile: (): string => join(directory, `${randomUUID()}.part`),

    /** Removes those of the files that still exist. */
    async discard(files: string[]): Promise<void> {
      await Promise.all(files.map((file) => rm(file, { force: true })));
    },

    /** Free bytes on the disk. */
    async freeBytes(): Promise<number> {
      const { bavail, bsize } = await statfs(directory);
      return bavail * bsize;
    },

    /** Free bytes and size of the disk. */
    async disk(): Promise<{ freeBytes: number; totalBytes: number }> {
      const { bavail, blocks, bsize } = await statfs(directory);
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    },

    /**
     * Removes files left by an interruption.
     * @param minAgeMs keeps files that were not seen unchanged for this long, because they may still be in use. Measured
     *   between sweeps: modification times are unreliable if the system clock was set.
     * @returns how many
     */
    async sweep({ minAgeMs }: { minAgeMs: number }): Promise<number> {
      const at = monotonicNow();
      const before = kept;
      kept = new Map();
      let removed = 0;
      for (const name of await readdir(directory)) {
        const path = join(directory, name);
        const found = await stat(path).catch(() => null);
        if (!found) continue;
        const { mtimeMs } = found;
        const last = before.get(path);
        const since = last?.mtimeMs === mtimeMs ? last.since : at;
        if (at - since < minAgeMs) {
          kept.set(path, { mtimeMs, since });
          continue;
        }
        await rm(path, { force: true, recursive: true });
        removed += 1;
      }
      return removed;
    },
  };
}

/** Temporary files of this server. */
export type Scratch = ReturnType<typeof createScratch>;
