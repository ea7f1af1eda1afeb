import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { unzipSync } from 'fflate';
import { WORDPRESS_PACKAGE } from './packages.ts';

/** The version that tests use: the newest finished release in the package. */
const WORDPRESS_VERSION = '6.5';

const builds = join(WORDPRESS_PACKAGE, 'node_modules/@wp-playground/wordpress-builds');
const caches = join(WORDPRESS_PACKAGE, 'node_modules/.cache');

/** Unpacks WordPress once and returns its folder. Each site gets a copy. */
export async function unpackWordPress(): Promise<string> {
  const tree = join(caches, `wordpress-${WORDPRESS_VERSION}`);
  if (existsSync(tree)) return tree;
  const part = `${tree}.part`;
  await rm(part, { recursive: true, force: true });
  // The archive contains PHP, the folder beside it scripts, styles and images. Files of the package's own site are removed.
  await unzip(join(builds, `src/wordpress/wp-${WORDPRESS_VERSION}.zip`), part, '');
  await cp(join(builds, `public/wp-${WORDPRESS_VERSION}`), part, { recursive: true });
  for (const name of ['wp-content/database', 'wp-config.php', 'wp-content/db.php', 'wp-content/mu-plugins']) {
    await rm(join(part, name), { recursive: true, force: true });
  }
  await rename(part, tree);
  return tree;
}

/** Copies all files of a tree, in half the time that `cp` of Node takes for WordPress. */
export async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const target = (entry: (typeof entries)[number]) => join(to, relative(from, join(entry.parentPath, entry.name)));
  for (const entry of entries) if (entry.isDirectory()) await mkdir(target(entry), { recursive: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  await Promise.all(files.map((entry) => copyFile(join(entry.parentPath, entry.name), target(entry))));
}

/** Adds the SQLite integration of WordPress to a tree. */
export async function addSqlite(tree: string): Promise<void> {
  const folder = join(tree, 'wp-content/mu-plugins/sqlite-database-integration');
  await unzip(
    join(builds, 'src/sqlite-database-integration/sqlite-database-integration.zip'),
    folder,
    'sqlite-database-integration-main/',
  );
  const dropIn = (await readFile(join(folder, 'db.copy'), 'utf8'))
    .replaceAll('{SQLITE_IMPLEMENTATION_FOLDER_PATH}', folder)
    .replaceAll('{SQLITE_PLUGIN}', 'sqlite-database-integration/load.php');
  await writeFile(join(tree, 'wp-content/db.php'), dropIn);
}

/** Unpacks the entries of an archive that lie below `prefix`. */
async function unzip(archive: string, target: string, prefix: string): Promise<void> {
  const entries = unzipSync(await readFile(archive), {
    filter: ({ name }) => name.startsWith(prefix) && !name.endsWith('/'),
  });
  for (const [name, bytes] of Object.entries(entries)) {
    const path = join(target, name.slice(prefix.length));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  }
}
