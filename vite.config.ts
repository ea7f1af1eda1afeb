import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildEnvironmentOptions, defineConfig, type Plugin, type UserConfig } from 'vite';
import {
  classicHostBuild,
  cliBuild,
  ENGINE_FRONTS,
  engineBeside,
  hostBuild,
  hostServerBuild,
  sdkBuild,
  unpluginBuild,
} from './plugin-bridge/build/builds.ts';
import { shortLines } from './plugin-bridge/build/short-lines.ts';
import { BROWSERS } from './widget/build/browsers.ts';
import { packTexts } from './widget/build/pack-texts.ts';
import { importsAtOnce, inlinedOnce, programPreloaded, shortLit, shortTemplates } from './widget/build/plugins.ts';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Entries of the service: every `main.ts` and `worker.ts` below `server/`, which processes and threads start, and what other programs import. */
function serverEntries(): string[] {
  return readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })
    .filter(
      (path) => ['main.ts', 'worker.ts'].includes(basename(path)) || ENGINE_FRONTS.includes(path.replace(/\.ts$/, '')),
    )
    .map((path) => join(root, 'server', path))
    .sort();
}

/**
 * `server/**\/x.ts` becomes `dist/server/**\/x.js`: modules stay apart and in place, so that `import.meta.url` means the
 * same in both trees and a worker is found beside the module that starts it. Packages stay in node_modules.
 */
function serverBuild(): BuildEnvironmentOptions {
  return {
    ssr: true,
    target: 'node20',
    outDir: 'dist/server',
    emptyOutDir: true,
    copyPublicDir: false,
    sourcemap: true,
    minify: false,
    rolldownOptions: {
      input: serverEntries(),
      output: {
        format: 'es',
        preserveModules: true,
        preserveModulesRoot: join(root, 'server'),
        entryFileNames: '[name].js',
      },
    },
  };
}

/**
 * A style sheet is a call, which a bundler takes for a side effect and loads with the first chunk that passes by its
 * module's index. Only the entries do something when they are imported.
 */
const LAZY_STYLES = {
  moduleSideEffects: (id: string) => !/\/(widget\/(elements|i18n|state|styles)|plugin-bridge\/sdk)\//.test(id),
};

/** Constants stand where they are used, and reading a property does nothing else: 160 bytes less. */
const INLINED = { inlineConst: { mode: 'all', pass: 3 } } as const;
const SMALLEST = { compress: { treeshake: { propertyReadSideEffects: false } }, mangle: true, codegen: true };

/** Languages beside the built-in English, as `{ de: '…/widget/i18n/de.ts' }`. */
function locales(): Record<string, string> {
  const folder = join(root, 'widget', 'i18n');
  const names = readdirSync(folder).flatMap((file) => /^([a-z]{2,3}(?:-[A-Za-z]+)?)\.ts$/.exec(file)?.[1] ?? []);
  return Object.fromEntries(names.filter((name) => name !== 'en').map((name) => [name, join(folder, `${name}.ts`)]));
}

/** Licences of the bundled packages, beside the bundle. */
const NOTICES = { fileName: 'NOTICES.md' };

const isLocale = (path: string) => basename(path, '.ts') in locales();

/**
 * Modules that are loaded together are one file, which compresses better: those of an empty element, and those that follow after the
 * first paint. Texts and the comparison come when somebody wants them.
 */
const FILES = [
  { name: 'element', tags: ['$initial' as const], test: (id: string) => !/\/i18n\//.test(id) },
  { name: 'workbench', test: (id: string) => !/\/i18n\//.test(id) },
];

/**
 * ES modules: `index.js` (classes, no side effect), `define.js` (defines the elements), `locales/<language>.js`, and
 * chunks that are loaded when they are needed. Lit is inside.
 */
function widgetBuild(): BuildEnvironmentOptions {
  const languages = Object.entries(locales()).map(([name, file]) => [`locales/${name}`, file]);
  return {
    target: BROWSERS,
    outDir: 'dist/widget',
    license: NOTICES,
    emptyOutDir: true,
    copyPublicDir: false,
    sourcemap: true,
    lib: {
      entry: {
        index: join(root, 'widget/index.ts'),
        define: join(root, 'widget/define.ts'),
        ...Object.fromEntries(languages),
      },
      formats: ['es'],
      fileName: (_format, name) => `${name}.js`,
    },
    // Vite keeps the white space of libraries, and notes for other bundlers; this one is loaded as it is.
    rolldownOptions: {
      treeshake: LAZY_STYLES,
      optimization: INLINED,
      output: {
        chunkFileNames: 'chunks/[name]-[hash].js',
        minify: SMALLEST,
        comments: false,
        codeSplitting: { groups: FILES },
      },
    },
  };
}

/** Puts what editors and other programs read of the elements beside them, and the style sheets that the documentation shares. */
function descriptionsBeside(): Plugin {
  const names = ['custom-elements.json', 'vscode.html-custom-data.json', 'styles/tokens.css', 'styles/palette.css'];
  return {
    name: 'descriptions-beside',
    generateBundle() {
      for (const fileName of names) {
        const file = join(root, 'widget', fileName);
        if (existsSync(file)) this.emitFile({ type: 'asset', fileName, source: readFileSync(file) });
      }
    },
  };
}

/**
 * One classic script for pages without modules, into the folder of the modules and after them. Only languages stay
 * apart: a classic script may import modules, and finds them beside itself.
 */
function classicWidgetBuild(): BuildEnvironmentOptions {
  return {
    target: BROWSERS,
    outDir: 'dist/widget',
    license: NOTICES,
    emptyOutDir: false,
    copyPublicDir: false,
    sourcemap: true,
    modulePreload: false,
    minify: true,
    lib: {
      entry: join(root, 'widget/iife.ts'),
      name: 'imagewright',
      formats: ['iife'],
      fileName: () => 'imagewright.iife.js',
    },
    rolldownOptions: {
      treeshake: LAZY_STYLES,
      optimization: INLINED,
      output: { codeSplitting: false, extend: true, minify: SMALLEST },
    },
  };
}

/** Links for site owners, as one ES module beside those of the element. */
function shareLinkBuild(): BuildEnvironmentOptions {
  return {
    target: BROWSERS,
    outDir: 'dist/widget',
    emptyOutDir: false,
    copyPublicDir: false,
    sourcemap: true,
    modulePreload: false,
    rolldownOptions: {
      input: { share: join(root, 'widget/link/index.ts') },
      treeshake: LAZY_STYLES,
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  };
}

/** Leaves the languages out of a bundle, as `./locales/<language>.js`. */
function localesBeside(): Plugin {
  const names = new Map(Object.entries(locales()).map(([name, file]) => [file, name]));
  return {
    name: 'locales-beside',
    enforce: 'pre',
    async resolveId(source, importer) {
      const resolved = importer && (await this.resolve(source, importer, { skipSelf: true }));
      const name = resolved ? names.get(resolved.id) : undefined;
      return name ? { id: `./locales/${name}.js`, external: true } : null;
    },
  };
}

/** A page of the service's own, under `/<name>/`. Nothing becomes a data URL: the page's policy allows none. */
function pageBuild(name: string): BuildEnvironmentOptions {
  return {
    target: BROWSERS,
    outDir: join(root, 'dist', name),
    license: NOTICES,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: true,
    // What the entry needs is one file, however its modules are shared with what is loaded later.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] } } },
  };
}

/** Builds of `vite build --mode <name>`. */
const BUILDS: Record<string, () => BuildEnvironmentOptions> = {
  server: serverBuild,
  widget: widgetBuild,
  'widget-classic': classicWidgetBuild,
  'widget-share': shareLinkBuild,
  demo: () => pageBuild('demo'),
  dashboard: () => pageBuild('dashboard'),
  share: () => pageBuild('share'),
  sdk: sdkBuild,
  host: hostBuild,
  'host-classic': classicHostBuild,
  'host-server': hostServerBuild,
  cli: cliBuild,
  unplugin: unpluginBuild,
};

/** `vite --mode <name>` serves the page while it is worked on, and the API of a running service. */
function pageSettings(name: string, program?: string): UserConfig {
  const service = process.env.IMAGEWRIGHT_ENDPOINT ?? 'http://127.0.0.1:8080';
  return {
    plugins: [packTexts(), shortTemplates(), program ? programPreloaded(program, `/${name}/`) : null],
    root: join(root, 'widget', name),
    base: `/${name}/`,
    server: { port: 5173, proxy: { '/v1': service, '/account': service, '/shared': service }, fs: { allow: [root] } },
  };
}

/** Lit's styles without those for old browsers, in every bundle. */
const LIT_STYLES = { find: /^\.\/css-tag\.js$/, replacement: join(root, 'widget/build/css-tag.ts') };

/** Further options of a mode. */
const SETTINGS: Record<string, () => UserConfig> = {
  widget: () => ({
    plugins: [descriptionsBeside(), packTexts(), shortTemplates(), shortLit(), inlinedOnce()],
  }),
  'widget-classic': () => ({
    plugins: [localesBeside(), importsAtOnce(isLocale), packTexts(), shortTemplates(), shortLit(), inlinedOnce()],
  }),
  'widget-share': () => ({ plugins: [shortTemplates()] }),
  sdk: () => ({ plugins: [shortLines()] }),
  cli: () => ({ plugins: [engineBeside()] }),
  unplugin: () => ({ plugins: [engineBeside()] }),
  demo: () => pageSettings('demo'),
  dashboard: () => pageSettings('dashboard', 'dash-app.ts'),
  share: () => pageSettings('share', 'share-page.ts'),
};

export default defineConfig(({ mode }) => ({
  root,
  base: './',
  resolve: { tsconfigPaths: true, alias: [LIT_STYLES] },
  ...SETTINGS[mode]?.(),
  build: BUILDS[mode]?.(),
}));
