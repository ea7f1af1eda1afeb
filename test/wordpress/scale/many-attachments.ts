import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { photograph } from '../rig.ts';
import type { Site } from '../site/site.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Adds attachments by SQL, in seconds, with realistic metadata. `files` says which of their files exist: none, the uploads alone or all
 * sizes; all have the same content. Returns the first and the last id, between which all are.
 */
export async function addManyAttachments(
  site: Site,
  { count, files = 'none' }: { count: number; files?: 'none' | 'full' | 'all' },
): Promise<[first: number, last: number]> {
  const home = await mkdtemp(join(tmpdir(), 'imagewright-photo-'));
  try {
    const photo = join(home, 'photo.jpg');
    await writeFile(photo, await photograph(1600));
    const code = 'require $file; return add_many_attachments( $count, $files, $photo );';
    return await site.command(code, { file: here('many-attachments.php'), count, files, photo });
  } finally {
    await rm(home, { recursive: true });
  }
}

/**
 * Marks attachments as optimized, each sixth as one that would not become smaller, as the plugin itself would have left them. The plugin
 * must be active. Returns the numbers of both.
 */
export function markAsOptimized(site: Site, first: number, last: number): Promise<[optimized: number, noGain: number]> {
  const code = 'require $file; return mark_attachments_as_optimized( $first, $last );';
  return site.command(code, { file: here('optimized-attachments.php'), first, last });
}
