import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Makes a service that runs within a test start its built processes and threads, as it does where it is
 * installed. From the sources each of them would first load a compiler, which takes longer than all else of a start. The
 * build is as new as the sources (`build-server.ts`).
 */
export function builtWorkers(): Plugin {
  return {
    name: 'built-workers',
    enforce: 'pre',
    resolveId(source, importer) {
      if (source !== './worker-file.ts' || !importer) return null;
      return join(ROOT, 'dist', relative(ROOT, dirname(importer)), 'worker-file.js');
    },
  };
}
