import { realpath } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { HostError } from '../host-error.ts';
import type { Disk } from './disk.ts';

/** Places of a folder by their real paths, so that no link leads out of it. */
export interface RealPlaces {
  /**
   * Returns the real path of a file; null if there is none.
   * @param path absolute
   * @throws HostError `not_found` for one outside of the folder and of those that its links may lead to
   */
  find(path: string): Promise<string | null>;
  /** Checks where a new file would be. @throws HostError `forbidden` outside of the folder itself */
  requireInside(path: string): Promise<void>;
}

/** @param linked folders that links in the folder may lead to; read, never written */
export function openPlaces(root: string, linked: readonly string[]): RealPlaces {
  const isBelow = async (path: string, folders: readonly string[]): Promise<boolean> => {
    // Each time, since a deployment may change the link that a folder is.
    const tops = await Promise.all(folders.map(realOrNull));
    return tops.some((top) => top !== null && path.startsWith(top.endsWith(sep) ? top : top + sep));
  };
  return {
    async find(path) {
      const real = await realOrNull(path);
      if (real === null || (await isBelow(real, [root, ...linked]))) return real;
      throw new HostError('not_found', 'The file of this image is a link that leads out of its folder.');
    },
    async requireInside(path) {
      for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder)) {
        const real = await realOrNull(folder);
        if (real === null) continue;
        if (real === (await realOrNull(root)) || (await isBelow(real, [root]))) return;
        break;
      }
      throw new HostError('forbidden', 'A link leads out of the folder of images, so nothing was written.');
    },
  };
}

/** Returns a disk whose changes stay inside of the folder. */
export function withinPlaces({ write, rename, remove }: Disk, { requireInside }: RealPlaces): Disk {
  return {
    async write(path, bytes) {
      await requireInside(path);
      await write(path, bytes);
    },
    async rename(from, to) {
      await requireInside(to);
      await rename(from, to);
    },
    async remove(path) {
      await requireInside(path);
      await remove(path);
    },
  };
}

async function realOrNull(path: string): Promise<string | null> {
  return realpath(resolve(path)).catch((error: NodeJS.ErrnoException) => {
    // `ELOOP`: a link to itself.
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].includes(error.code ?? '')) return null;
    throw error;
  });
}
