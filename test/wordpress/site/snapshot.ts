import { cp, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Recorded state of files and folders. */
export interface Snapshot {
  /** Restores every file and removes added ones. Added folders stay, without files. */
  restore(): Promise<void>;
}

/** Copies the files below `folder` to `copy` for a later restore. Ignores symbolic links. */
export async function takeSnapshot(folder: string, copy: string): Promise<Snapshot> {
  await cp(folder, copy, {
    recursive: true,
    preserveTimestamps: true,
    filter: async (path) => !(await lstat(path)).isSymbolicLink(),
  });
  return { restore: () => restore(folder, copy) };
}

async function restore(folder: string, copy: string): Promise<void> {
  const [present, wanted] = await Promise.all([fingerprints(folder), fingerprints(copy)]);
  for (const [path, fingerprint] of present) {
    // PHP as WebAssembly caches folders and cannot recreate one that another process removed.
    if (fingerprint !== FOLDER && !wanted.has(path)) await rm(join(folder, path), { force: true });
  }
  for (const [path, fingerprint] of wanted) {
    if (present.get(path) === fingerprint) continue;
    const target = join(folder, path);
    if (fingerprint === FOLDER) {
      await mkdir(target, { recursive: true });
      continue;
    }
    // Written as a new file: a running request may have the old database open.
    await rm(target, { force: true });
    await cp(join(copy, path), target, { preserveTimestamps: true });
  }
}

const FOLDER = 'folder';

/** Size and time of each file by its path, parents before their children. */
async function fingerprints(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries
    .filter((entry) => !entry.isSymbolicLink())
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const stats = await lstat(path);
      const fingerprint = entry.isDirectory() ? FOLDER : `${stats.size} ${Math.trunc(stats.mtimeMs)}`;
      return [relative(folder, path), fingerprint] as const;
    });
  const sorted = (await Promise.all(found)).sort(([a], [b]) => a.length - b.length);
  return new Map(sorted);
}
