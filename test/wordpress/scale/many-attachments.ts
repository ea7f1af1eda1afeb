import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { photograph } from '../rig.ts';
import type { Site } from '../site/site.ts';

const PHP = fileURLToPath(new URL('many-attachments.php', import.meta.url));

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
    return await site.command(code, { file: PHP, count, files, photo });
  } finally {
    await rm(home, { recursive: true });
  }
}
