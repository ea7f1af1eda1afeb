import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { BROWSERS } from '../../../widget/build/browsers.ts';
import { inlinedOnce } from '../../../widget/build/plugins.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Scripts of the plugin. Each is a classic script, since WordPress before 6.6 prints no modules in its admin pages. */
const SCRIPTS = {
  page: '../src/page.ts',
  attachments: '../src/attachments.ts',
  settings: '../src/settings.ts',
  texts: '../src/texts.ts',
  editor: '../src/editor/main.ts',
  shop: '../src/shop.ts',
};

const COMMON = {
  configFile: false,
  root: at('../../../'),
  resolve: { tsconfigPaths: true },
  logLevel: 'warn',
} as const;

const outputTo = (outDir: string) => ({
  target: BROWSERS,
  outDir,
  emptyOutDir: false,
  copyPublicDir: false,
  modulePreload: false as const,
  minify: true,
});

/** Bundles the scripts of the plugin into `folder`. */
export async function bundleScripts(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // The build is always for production. Tests set another environment.
  const environment = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    await bundleAll(folder);
  } finally {
    if (environment === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = environment;
  }
  await copyFile(at('../src/admin.css'), join(folder, 'admin.css'));
}

async function bundleAll(folder: string): Promise<void> {
  for (const [name, entry] of Object.entries(SCRIPTS)) {
    const lib = {
      entry: at(entry),
      name: `imagewright_${name}`,
      formats: ['iife' as const],
      fileName: () => `${name}.js`,
    };
    await build({
      ...COMMON,
      plugins: [inlinedOnce()],
      build: {
        ...outputTo(folder),
        lib,
        license: { fileName: `${name}.NOTICES.md` },
        rolldownOptions: { output: { codeSplitting: false } },
      },
    });
  }
  // The widget's build for classic pages. It loads its languages from its own folder.
  const widget = { mode: 'widget-classic', configFile: at('../../../vite.config.ts'), root: COMMON.root };
  await build({ ...widget, logLevel: 'warn', build: { outDir: folder, emptyOutDir: false, sourcemap: false } });
  await rename(join(folder, 'imagewright.iife.js'), join(folder, 'widget.js'));
  await joinNotices(folder);
  for (const name of await languages()) {
    const entry = at(`../../../widget/i18n/${name}.ts`);
    const lib = { entry, formats: ['es' as const], fileName: () => `${name}.js` };
    await build({ ...COMMON, build: { ...outputTo(join(folder, 'locales')), lib } });
  }
}

/** Joins the licence files of all scripts into `NOTICES.md`, each package once. */
async function joinNotices(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('NOTICES.md')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const packages = new Set(
    texts.flatMap((text) =>
      text
        .split(/^(?=## )/m)
        .slice(1)
        .map((part) => `${part.trim()}\n`),
    ),
  );
  await Promise.all(names.map((name) => rm(join(folder, name))));
  await writeFile(join(folder, 'NOTICES.md'), ['# Licences of bundled packages\n', ...packages].join('\n'));
}

/** Languages of the widget besides the built-in English. */
async function languages(): Promise<string[]> {
  const files = await readdir(at('../../../widget/i18n'));
  const names = files.flatMap((file) => /^([a-z]{2,3}(?:-[A-Za-z]+)?)\.ts$/.exec(file)?.[1] ?? []);
  return names.filter((name) => name !== 'en');
}
