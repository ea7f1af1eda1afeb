import { join } from 'node:path';
import { buildPlugin } from '../../../plugin-bridge/wordpress/build/build-plugin.ts';
import { exclusively } from './exclusive.ts';
import { installPackages, PLAYGROUND_PACKAGE, WORDPRESS_PACKAGE } from './packages.ts';
import { findPhp } from './php.ts';
import { unpackWordPress } from './wordpress-tree.ts';

/** What a site is made of. */
export interface Prepared {
  /** WordPress as it is delivered. */
  tree: string;
  /** The plugin as it is shipped, unpacked. */
  plugin: string;
  /** PHP of this machine; null: PHP as WebAssembly. */
  php: string | null;
}

/** Installs, unpacks and builds what is missing. Everything is kept for the next time. */
export async function prepare(): Promise<Prepared> {
  const php = await findPhp();
  return exclusively(join(WORDPRESS_PACKAGE, '.preparing'), async () => {
    await installPackages(WORDPRESS_PACKAGE);
    if (!php) await installPackages(PLAYGROUND_PACKAGE);
    return { tree: await unpackWordPress(), plugin: (await buildPlugin()).folder, php };
  });
}
