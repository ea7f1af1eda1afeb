import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildEnvironmentOptions, defineConfig } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Whatever a process or a thread starts with is called `main.ts` or `worker.ts`, wherever it lies below `server/`. */
function serverEntries(): string[] {
  return readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })
    .filter((path) => ['main.ts', 'worker.ts'].includes(basename(path)))
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

/** What `vite build --mode <name>` builds. */
const BUILDS: Record<string, () => BuildEnvironmentOptions> = { server: serverBuild };

export default defineConfig(({ mode }) => ({ root, build: BUILDS[mode]?.() }));
