import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zipSync } from 'fflate';
import { bundleScripts } from './bundle-scripts.ts';
import { compileLanguages } from './compile-languages.ts';
import { copySources } from './copy-sources.ts';
import { readLinks, stampHeader, stampReadme } from './links.ts';
import { potFile } from './pot-file.ts';
import { hostStrings, widgetStrings } from './widget-strings.ts';

const source = fileURLToPath(new URL('../', import.meta.url));
const output = fileURLToPath(new URL('../../../dist/wordpress/', import.meta.url));

/** Shipped files and folders, besides the bundled scripts. */
const SHIPPED = ['imagewright.php', 'uninstall.php', 'readme.txt', 'LICENSE', 'includes'];

/** A built plugin. */
export interface BuiltPlugin {
  /** The unpacked plugin. */
  folder: string;
  /** The archive that WordPress installs. */
  zip: string;
  /** The sources of its scripts, to be published beside it. */
  sources: string;
  /** Files in the archive, sorted. */
  files: string[];
}

/** Builds the plugin, its archive and that of its sources, by default in `dist/wordpress`. Equal sources give equal bytes. */
export async function buildPlugin(target = output): Promise<BuiltPlugin> {
  const folder = join(target, 'imagewright');
  await rm(target, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const name of SHIPPED) await cp(join(source, name), join(folder, name), { recursive: true });
  await stampLinks(folder);
  await bundleScripts(join(folder, 'build'));
  await copySources(join(target, 'imagewright-sources'));
  await writeFile(join(folder, 'build/widget-strings.php'), await widgetStrings());
  await writeFile(join(folder, 'build/host-strings.php'), hostStrings());
  await compileLanguages(join(source, 'languages'), join(folder, 'languages'));
  await writeFile(join(folder, 'languages/imagewright.pot'), await template(folder));
  const { zip, files } = await archive(target, 'imagewright');
  const { zip: sources } = await archive(target, 'imagewright-sources');
  return { folder, zip, sources, files };
}

/** Packs a folder into a ZIP beside it. Returns the files in it, sorted. */
async function archive(target: string, name: string): Promise<{ zip: string; files: string[] }> {
  const folder = join(target, name);
  const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
  const entries: Record<string, [Uint8Array, { mtime: Date }]> = {};
  for (const file of files) {
    // A fixed time keeps the bytes equal. The dates of the format begin in 1980.
    entries[`${name}/${file}`] = [await readFile(join(folder, file)), { mtime: new Date(1980, 0, 2) }];
  }
  const zip = join(target, `${name}.zip`);
  await writeFile(zip, zipSync(entries, { level: 9 }));
  return { zip, files };
}

/** Adds the links of the publisher to the main file and the readme. */
async function stampLinks(folder: string): Promise<void> {
  const links = await readLinks();
  const stamps = { 'imagewright.php': stampHeader, 'readme.txt': stampReadme };
  for (const [name, stamp] of Object.entries(stamps)) {
    const path = join(folder, name);
    await writeFile(path, stamp(await readFile(path, 'utf8'), links));
  }
}

/** Builds the template for translators from all PHP files of the built plugin. */
async function template(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.php')).sort();
  const sources = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  );
  const main = await readFile(join(folder, 'imagewright.php'), 'utf8');
  return potFile(new Map(sources), /Version:\s+(\S+)/.exec(main)?.[1] ?? '');
}
