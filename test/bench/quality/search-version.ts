import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

const FOLDERS = ['quality', 'score', 'score/kernel', 'steps'].map(
  (name) => new URL(`../../../server/processing/worker/${name}/`, import.meta.url),
);

/** Identifies the code of the search, so that results of other code are not reused. */
export async function searchVersion(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of FOLDERS) {
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.ts')).sort())
      hash.update(await readFile(new URL(file, folder)));
  }
  return hash.digest('hex').slice(0, 12);
}
