import { rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { hashFile } from './files-on-disk.ts';
import type { Manifest } from './manifest.ts';
import { expectedFiles } from './name-files.ts';
import type { PlannedSource } from './plan.ts';
import type { Run } from './run.ts';

/** Lists the results that no image of this run gives, by name below the output folder. Edited files are not listed. */
export async function findUnused({ options, plan, manifest }: Run): Promise<string[]> {
  const sources = [...plan.unchanged, ...plan.incomplete.map(({ source }) => source), ...plan.unmade];
  const used = new Set(sources.flatMap((source) => namesOf(source, { options, manifest })));
  const paths = new Set(sources.map(({ path }) => path));
  const unused: string[] = [];
  for (const [name, sha256] of Object.entries(manifest.content.written)) {
    const path = join(options.out, name);
    const isInside = !relative(options.out, path).startsWith('..');
    if (used.has(name) || paths.has(path) || !isInside) continue;
    const found = await hashFile(path);
    if (found === sha256) unused.push(name);
    else if (found === undefined) manifest.forgetFile(name);
  }
  return unused.sort();
}

/** Returns the names of an image's files: those that were made, or before that those that may be made. */
function namesOf(source: PlannedSource, { options, manifest }: { options: Run['options']; manifest: Manifest }) {
  const files = manifest.content.results[source.key]?.files ?? expectedFiles(options.settings, source.below);
  return files.map((file) => source.nameOf(file));
}

/** Removes results, and the folders that are empty then. */
export async function removeResults(names: readonly string[], out: string, manifest: Manifest): Promise<void> {
  for (const name of names) {
    await rm(join(out, name), { force: true });
    manifest.forgetFile(name);
    for (let folder = dirname(name); folder !== '.'; folder = dirname(folder)) {
      const isRemoved = await rmdir(join(out, folder)).then(
        () => true,
        () => false,
      );
      if (!isRemoved) break;
    }
  }
  await manifest.save();
}
