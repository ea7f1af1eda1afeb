import { readdir } from 'node:fs/promises';
import { extname, join, posix } from 'node:path';
import { hashFile } from './files-on-disk.ts';

/**
 * Finds the sizes of results, e.g. `a-480w.avif` of `a.avif`. Returns their SHA-256 by name. Older records list only the
 * latest results and lack sizes of earlier runs.
 */
export async function findSizes(targets: readonly string[], out: string): Promise<Record<string, string>> {
  const known = new Set(targets);
  const found: Record<string, string> = {};
  for (const folder of new Set(targets.map((target) => posix.dirname(target)))) {
    for (const name of await readdir(join(out, folder)).catch(() => [])) {
      const path = posix.join(folder, name);
      const extension = extname(path);
      const stem = /^(.*)-\d{1,5}w$/.exec(path.slice(0, path.length - extension.length))?.[1];
      if (stem === undefined || !known.has(stem + extension) || known.has(path)) continue;
      const sha256 = await hashFile(join(out, path));
      if (sha256) found[path] = sha256;
    }
  }
  return found;
}
