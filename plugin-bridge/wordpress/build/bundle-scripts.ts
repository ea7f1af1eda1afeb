import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Browsers that WordPress' admin pages are made for, as of the widget. */
const BROWSERS = ['chrome111', 'edge111', 'firefox126', 'safari17'];

/** Scripts of the plugin: each a classic one of its own, since WordPress before 6.6 prints no modules in its admin pages. */
const SCRIPTS = {
  widget: '../../../widget/iife.ts',
  page: '../src/page.ts',
  attachments: '../src/attachments.ts',
  settings: '../src/settings.ts',
};

/** Bundles the scripts of the plugin into `folder`. */
export async function bundleScripts(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // What is shipped is made for production, whoever starts the build: tests have another environment.
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
    await build({
      configFile: false,
      root: at('../../../'),
      logLevel: 'warn',
      build: {
        target: BROWSERS,
        outDir: folder,
        emptyOutDir: false,
        copyPublicDir: false,
        modulePreload: false,
        minify: true,
        lib: { entry: at(entry), name: `imagewright_${name}`, formats: ['iife'], fileName: () => `${name}.js` },
        rolldownOptions: { output: { codeSplitting: false } },
      },
    });
  }
}
