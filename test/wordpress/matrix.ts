// `npm run test:wordpress-matrix`: the plugin's tests on other versions of WordPress, with the oldest of both WordPress and
// PHP, and behind nginx and Apache with PHP-FPM. Takes WordPress and servers from the packages of Debian, unpacked and never
// installed, so it needs apt-get. Names of profiles choose some: `bookworm trixie sid oldest nginx apache`. Prints what ran.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchPrograms } from './native/debian-programs.ts';
import { DEBIAN_SUITES, unpackDebianTree } from './site/debian-tree.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const TESTS = [
  ...[
    'replace-and-restore',
    'kept-addresses',
    'edge-cases',
    'other-files',
    'optimize-page',
    'library-page',
    'bulk-run',
  ],
  ...['service-routes', 'permissions', 'key-and-address'],
  ...['paid-once', 'multisite', 'shipped-files', 'archive', 'translated', 'editor-panel'],
];
/** Main tests, for profiles in which each request compiles all of WordPress. */
const MAIN_TESTS = ['replace-and-restore', 'kept-addresses', 'optimize-page', 'shipped-files', 'archive'];

interface Outcome {
  profile: string;
  version: string;
  result: string;
  seconds: number;
}

function versionOf(tree: string): string {
  return /\$wp_version\s*=\s*'([^']+)'/.exec(readFileSync(join(tree, 'wp-includes/version.php'), 'utf8'))?.[1] ?? '?';
}

function run(profile: string, version: string, env: Record<string, string>, names = TESTS): Outcome {
  console.log(`\n== ${profile}: WordPress ${version}`);
  const begin = Date.now();
  const tests = names.map((name) => `test/wordpress/${name}`);
  const modeOf = (test: string) =>
    (['long', 'nightly'] as const).find((mode) => existsSync(join(root, `${test}.${mode}.test.ts`))) ?? 'test';
  const passes = (mode: 'test' | 'long' | 'nightly') => {
    const ofMode = tests.filter((test) => modeOf(test) === mode);
    if (ofMode.length === 0) return true;
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--mode', mode, ...ofMode];
    const { status } = spawnSync(process.execPath, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    });
    return status === 0;
  };
  const passed = [passes('test'), passes('long'), passes('nightly')].every(Boolean);
  const seconds = Math.round((Date.now() - begin) / 1000);
  return { profile, version, result: passed ? 'passed' : 'FAILED', seconds };
}

const wanted = process.argv.slice(2);
const outcomes: Outcome[] = [];
for (const suite of DEBIAN_SUITES) {
  if (wanted.length > 0 && !wanted.includes(suite)) continue;
  const tree = unpackDebianTree(suite);
  outcomes.push(run(`php -S, tree of Debian ${suite}`, versionOf(tree), { IMAGEWRIGHT_TEST_WORDPRESS: tree }));
}
if (wanted.length === 0 || wanted.includes('oldest')) {
  const tree = unpackDebianTree('bookworm');
  const env = { IMAGEWRIGHT_TEST_PHP: 'wasm-7.4', IMAGEWRIGHT_TEST_WORDPRESS: tree };
  outcomes.push(run('PHP 7.4 as WebAssembly, tree of Debian bookworm', versionOf(tree), env, MAIN_TESTS));
}
if (wanted.length === 0 || wanted.includes('nginx')) {
  const tree = unpackDebianTree('trixie');
  const env = { ...fetchPrograms(), IMAGEWRIGHT_TEST_SERVER: 'nginx', IMAGEWRIGHT_TEST_WORDPRESS: tree };
  outcomes.push(run('nginx and PHP-FPM', versionOf(tree), env));
}
if (wanted.length === 0 || wanted.includes('apache')) {
  const tree = unpackDebianTree('sid');
  const env = { ...fetchPrograms(), IMAGEWRIGHT_TEST_SERVER: 'apache', IMAGEWRIGHT_TEST_DATABASE: 'mariadb' };
  outcomes.push(run('Apache, PHP-FPM, MariaDB', versionOf(tree), { ...env, IMAGEWRIGHT_TEST_WORDPRESS: tree }));
}
console.table(outcomes);
process.exitCode = outcomes.every(({ result }) => result === 'passed') ? 0 : 1;
