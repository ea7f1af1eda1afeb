// `npm run test:wordpress-native`: the tests of sites on MariaDB with native PHP behind nginx and Apache (`*.native.test.ts`), and the
// weights of their pages. Takes the programs and WordPress from the packages of Debian, unpacked and never installed, so it needs
// apt-get. Arguments are passed on to Vitest, e.g. a part of the name of a test file.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { unpackDebianTree } from '../site/debian-tree.ts';
import { fetchPrograms } from './debian-programs.ts';

process.exitCode = run();

function run(): number {
  const env = prepared();
  if (!env) return process.env.NATIVE_REQUIRED === '1' ? 1 : 0;
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--mode', 'native', ...process.argv.slice(2)];
  const cwd = fileURLToPath(new URL('../../../', import.meta.url));
  return spawnSync(process.execPath, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1;
}

/** Fetches what is missing; null if it cannot be had, with the reason on the console. */
function prepared(): Record<string, string> | null {
  try {
    const env = fetchPrograms();
    unpackDebianTree('sid');
    return env;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.warn(`SKIPPED: no site on MariaDB with native PHP is tested, since its packages cannot be had.\n${reason}`);
    return null;
  }
}
