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
}

/** The packages, without those that are programs for servers. */
export const PACKAGES: readonly Recipe[] = [
  { workspace: 'plugin-bridge/sdk', copies: { '.': 'dist/sdk' }, types: ['plugin-bridge/sdk/index.ts'] },
  { workspace: 'plugin-bridge/host', copies: { '.': 'dist/host' }, types: ['plugin-bridge/host/index.ts'] },
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
];
