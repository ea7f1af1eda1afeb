import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** Folders of which the scripts are built, translations, and files that the build reads. */
const FOLDERS = [
  ...['widget', 'server/contract'],
  ...['plugin-bridge/sdk', 'plugin-bridge/batch', 'plugin-bridge/host', 'plugin-bridge/build'],
  ...['plugin-bridge/wordpress/src', 'plugin-bridge/wordpress/build', 'plugin-bridge/wordpress/languages'],
];
const FILES = [
  ...['LICENSE', 'package.json', 'package-lock.json', 'tsconfig.json', 'vite.config.ts'],
  // `npm ci` wants the manifests of all workspaces.
  ...['server/package.json', 'server/processing/package.json', 'plugin-bridge/cli/package.json'],
];

const README = `Sources of the scripts in the folder "build" of the plugin for WordPress, which are minified.

With Node 20.20 or newer and npm, in this folder:

    npm ci
    npx tsx plugin-bridge/wordpress/build/scripts.ts build

This writes the same files, byte for byte, into the folder "build" here. The licences of bundled packages are in build/NOTICES.md.
`;

/** Copies the sources of the bundled scripts to a folder, with the command that builds them. */
export async function copySources(folder: string): Promise<void> {
  const names = [...FILES];
  for (const name of FOLDERS) {
    const found = await readdir(join(repository, name), { recursive: true });
    names.push(...found.filter((one) => /\.(ts|css|html|json|svg|po)$/.test(one)).map((one) => join(name, one)));
  }
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await cp(join(repository, name), join(folder, name));
  }
  await writeFile(join(folder, 'README.txt'), README);
}
