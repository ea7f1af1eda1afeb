import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { copyEngine, nameAdminCommand, useEngine, writeFronts } from './divide-server.ts';
import { imageImports } from './image-imports.ts';

/** Files of a package. Paths begin at the repository. */
export interface Recipe {
  /** Workspace with its `package.json`; what `publishConfig` says there is what the packed one says. */
  workspace: string;
  /** Folders and files to copy, by their places in the package. */
  copies: Readonly<Record<string, string>>;
  /** Modules whose declarations are shipped. */
  types: readonly string[];
  /** Small modules, by their places in the package. */
  texts?: (version: string) => Readonly<Record<string, string>>;
  /** Further steps in the folder of the package. @param dist folder of the builds */
  finish?: (folder: string, dist: string) => Promise<void>;
}

/** Pages that the service serves. */
const PAGES = ['widget', 'demo', 'dashboard', 'share'];

/** The packages of a release. */
export const PACKAGES: readonly Recipe[] = [
  { workspace: 'plugin-bridge/sdk', copies: { '.': 'dist/sdk' }, types: ['plugin-bridge/sdk/index.ts'] },
  {
    workspace: 'plugin-bridge/host',
    copies: { '.': 'dist/host' },
    types: ['index', 'conformance/index', 'server/index'].map((name) => `plugin-bridge/host/${name}.ts`),
  },
  {
    workspace: 'widget',
    copies: { '.': 'dist/widget' },
    types: ['widget/index.ts', 'widget/define.ts', 'widget/frameworks/react.d.ts', 'widget/frameworks/vue.d.ts'],
    texts: (version) => ({
      // A server renders the tag, and the browser the element.
      'server.js': `export class ImageOptimizer {}\nexport const VERSION = '${version}';\n`,
      'framework.js': "export { ImageOptimizer } from './define.js';\n",
    }),
  },
  {
    workspace: 'server/processing',
    copies: {},
    types: ['server/processing/engine.ts'],
    finish: (folder, dist) => copyEngine(join(dist, 'server'), folder),
  },
  {
    workspace: 'server',
    // Beside what is built, which `server/start.mjs` starts.
    copies: { 'server/start.mjs': 'server/start.mjs', docs: 'docs' },
    types: [],
    async finish(folder, dist) {
      for (const name of ['server', ...PAGES]) {
        await cp(join(dist, name), join(folder, 'dist', name), { recursive: true });
      }
      await useEngine(join(folder, 'dist', 'server'));
      await nameAdminCommand(join(folder, 'dist', 'server'), 'npx @imagewright/server admin');
    },
  },
  {
    workspace: 'plugin-bridge/cli',
    copies: { cli: 'dist/cli' },
    types: [],
    finish: (folder) => writeFronts(join(folder, 'server')),
  },
  {
    workspace: 'plugin-bridge/unplugin',
    copies: { unplugin: 'dist/unplugin' },
    types: ['plugin-bridge/unplugin/index.ts'],
    texts: () => ({ 'client.d.ts': imageImports() }),
    finish: (folder) => writeFronts(join(folder, 'server')),
  },
];
