import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Site } from '../site/site.ts';
import type { Weights } from './weigh-pages.ts';

/**
 * Returns the part of its bytes that pages would weigh if each shown file were the smallest of those that exist: itself and the
 * WebP and AVIF files made of it, of which `photo.jpg.webp` and `photo.webp` are names. No delivery can be better.
 */
export async function oracle(site: Site, weights: Weights): Promise<number> {
  let [own, best] = [0, 0];
  for (const { files } of Object.values(weights)) {
    for (const [path, { bytes }] of Object.entries(files)) {
      own += bytes;
      best += Math.min(bytes, ...(await sizesBeside(site, path)));
    }
  }
  return best / own;
}

async function sizesBeside(site: Site, path: string): Promise<number[]> {
  const file = join(site.uploadsDir, decodeURIComponent(path.split('?')[0] ?? '').replace('/wp-content/uploads', ''));
  const stem = basename(file).replace(/\.\w+$/, '.');
  const names = await readdir(dirname(file));
  const made = names.filter((name) => name.startsWith(stem) && /\.(webp|avif)$/.test(name) && name !== basename(file));
  return Promise.all(made.map(async (name) => (await stat(join(dirname(file), name))).size));
}
