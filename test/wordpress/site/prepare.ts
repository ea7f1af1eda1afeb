import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuiltPlugin, buildPlugin } from '../../../plugin-bridge/wordpress/build/build-plugin.ts';
import { installPackages } from '../../support/install-packages.ts';
import { exclusively } from './exclusive.ts';
import { WORDPRESS_PACKAGE, wasmPhp } from './packages.ts';
import { findPhp } from './php.ts';
import { unpackWordPress } from './wordpress-tree.ts';

/** Parts of a test site. */
export interface Prepared {
  /** Unpacked WordPress. */
  tree: string;
  /** The built plugin. */
  built: BuiltPlugin;
  /** PHP of this machine; null: PHP as WebAssembly. */
  php: string | null;
}

/** Installs, unpacks and builds missing parts and keeps them for the next run. */
export async function prepare(): Promise<Prepared> {
  const php = await findPhp();
  return exclusively(join(WORDPRESS_PACKAGE, '.preparing'), async () => {
    await installPackages(WORDPRESS_PACKAGE);
    if (!php) await installPackages(wasmPhp().folder);
    // Another version than the pinned one, e.g. of the matrix.
    const tree = process.env.IMAGEWRIGHT_TEST_WORDPRESS ?? (await unpackWordPress());
    return { tree, built: await buildChanged(), php };
  });
}

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** Builds the plugin if its sources have changed. Running sites use the build. */
async function buildChanged(): Promise<BuiltPlugin> {
  const stamp = join(repository, 'dist/wordpress/built.json');
  const sources = await fingerprint([
    'plugin-bridge',
    'widget',
    'server/contract/constants',
    'package.json',
    'package-lock.json',
  ]);
  const last = JSON.parse(await readFile(stamp, 'utf8').catch(() => '{}')) as { sources?: string; built: BuiltPlugin };
  if (last.sources === sources) return last.built;
  const built = await buildPlugin();
  await writeFile(stamp, JSON.stringify({ sources, built }));
  return built;
}

/** Hashes size and time of all files below these paths. */
async function fingerprint(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    const source = join(repository, path);
    const below = (await stat(source)).isDirectory() ? await readdir(source, { recursive: true }) : [''];
    for (const name of below.sort()) {
      const { size, mtimeMs } = await stat(join(source, name));
      hash.update(`${path}/${name} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest('hex');
}
