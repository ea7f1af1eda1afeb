import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildEnvironmentOptions, Plugin } from 'vite';
import { BROWSERS } from '../../widget/build/browsers.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Licences of the bundled packages, beside the bundle. */
const NOTICES = { fileName: 'NOTICES.md' };

/** The client of the API as one ES module, for pages and programs that have no build of their own. */
export function sdkBuild(): BuildEnvironmentOptions {
  return {
    target: BROWSERS,
    outDir: 'dist/sdk',
    emptyOutDir: true,
    copyPublicDir: false,
    sourcemap: true,
    minify: false,
    modulePreload: false,
    rolldownOptions: {
      input: { index: join(root, 'plugin-bridge/sdk/index.ts') },
      preserveEntrySignatures: 'strict',
      // Otherwise it is printed once more after the plugins.
      output: { format: 'es', entryFileNames: '[name].js', minify: false },
    },
  };
}

/** The connection of a CMS and the element as ES modules. */
export function hostBuild(): BuildEnvironmentOptions {
  return {
    target: BROWSERS,
    outDir: 'dist/host',
    license: NOTICES,
    emptyOutDir: true,
    copyPublicDir: false,
    sourcemap: true,
    minify: false,
    modulePreload: false,
    rolldownOptions: {
      input: {
        index: join(root, 'plugin-bridge/host/index.ts'),
        conformance: join(root, 'plugin-bridge/host/conformance/index.ts'),
      },
      preserveEntrySignatures: 'strict',
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  };
}

/** The same as one classic script, which adds `connectHost` and the others to the global `imagewright`. */
export function classicHostBuild(): BuildEnvironmentOptions {
  return {
    target: BROWSERS,
    outDir: 'dist/host',
    emptyOutDir: false,
    copyPublicDir: false,
    sourcemap: true,
    lib: {
      entry: join(root, 'plugin-bridge/host/index.ts'),
      name: 'imagewright',
      formats: ['iife'],
      fileName: () => 'host.iife.js',
    },
    rolldownOptions: { output: { extend: true } },
  };
}

/** Builds `@imagewright/host/server` as one module for Node, beside the modules for browsers. */
export function hostServerBuild(): BuildEnvironmentOptions {
  return {
    ...cliBuild(),
    outDir: 'dist/host',
    emptyOutDir: false,
    rolldownOptions: {
      input: { server: join(root, 'plugin-bridge/host/server/index.ts') },
      preserveEntrySignatures: 'strict',
      output: { format: 'es', entryFileNames: '[name].js' },
    },
  };
}

/** The command line program. Packages stay in node_modules. */
export function cliBuild(): BuildEnvironmentOptions {
  return {
    ssr: true,
    target: 'node20',
    outDir: 'dist/cli',
    emptyOutDir: true,
    copyPublicDir: false,
    sourcemap: true,
    minify: false,
    rolldownOptions: {
      input: { main: join(root, 'plugin-bridge/cli/main.ts') },
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  };
}

/** The plugin of bundlers, and the loader that webpack and Rspack run. Packages stay in node_modules. */
export function unpluginBuild(): BuildEnvironmentOptions {
  return {
    ...cliBuild(),
    outDir: 'dist/unplugin',
    rolldownOptions: {
      ...cliBuild().rolldownOptions,
      input: {
        index: join(root, 'plugin-bridge/unplugin/index.ts'),
        loader: join(root, 'plugin-bridge/unplugin/loader.ts'),
      },
      preserveEntrySignatures: 'strict',
    },
  };
}

/** Modules of the engine that other programs import, by path below `server`. */
export const ENGINE_FRONTS = ['processing/index', 'processing/cache-key'];

/**
 * Leaves the engine out of a program's bundle, whose files are in `dist/<program>`: it is the one in `dist/server`, in a
 * package that of `@imagewright/engine`.
 */
export function engineBeside(): Plugin {
  const fronts = new Map(ENGINE_FRONTS.map((path) => [join(root, 'server', `${path}.ts`), path]));
  return {
    name: 'engine-beside',
    enforce: 'pre',
    async resolveId(source, importer) {
      const path = importer && source.startsWith('.') ? fronts.get(join(dirname(importer), source)) : undefined;
      return path ? { id: `../server/${path}.js`, external: true } : null;
    },
  };
}
