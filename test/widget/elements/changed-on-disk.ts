import { rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainImage } from '../../support/small-images.ts';

/** Changes of a file on the disk after it was chosen, by what becomes of its bytes; null removes it. */
const CHANGES: Record<string, (bytes: Buffer) => Buffer | null> = {
  'removed.png': () => null,
  'larger.png': (bytes) => Buffer.concat([bytes, Buffer.alloc(3000, 1)]),
  'smaller.png': (bytes) => bytes.subarray(0, bytes.length - 50),
  'other.png': (bytes) => Buffer.concat([bytes.subarray(0, -40), Buffer.alloc(40, 1)]),
};

/** Names of the files, by their change. */
export const CHANGED = Object.keys(CHANGES);

/** Writes one file for each change into a folder. @returns their paths, and what changes all of them */
export async function filesToChange(folder: string, bytes: number) {
  const { bytes: image } = await plainImage('hill.png');
  const whole = Buffer.concat([image, Buffer.alloc(Math.max(0, bytes - image.length), 7)]);
  const paths = CHANGED.map((name) => join(folder, name));
  for (const path of paths) await writeFile(path, whole);
  return {
    paths,
    /** Writes later times, too: Chromium compares the times of a file by whole seconds. */
    async change(): Promise<void> {
      for (const [index, change] of Object.values(CHANGES).entries()) {
        const path = paths[index] ?? '';
        const changed = change(whole);
        if (!changed) {
          await rm(path);
          continue;
        }
        const { mtimeMs } = await stat(path);
        await writeFile(path, changed);
        await utimes(path, new Date(), new Date(mtimeMs + 5_000));
      }
    },
  };
}
