// `npm run test:wordpress-matrix`: the plugin's tests on other versions of WordPress, with the oldest of both WordPress and
// PHP, and behind nginx with PHP-FPM. Takes WordPress from the packages of Debian, unpacked and never installed, so it needs
// apt-get. Names of profiles choose some: `bookworm trixie sid oldest nginx`. Prints what ran.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('node_modules/.cache/debian/', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Releases of Debian and the packages that a whole WordPress needs there: the main package has no theme. */
const SUITES: Record<string, string[]> = {
  bookworm: ['wordpress-theme-twentytwentythree', 'php-getid3', 'libjs-cropper', 'libjs-underscore'],
  trixie: ['wordpress-theme-twentytwentyfive', 'php-getid3', 'libjs-cropper', 'libjs-underscore', 'libjs-lodash'],
  sid: [
    ...['wordpress-theme-twentytwentyfive', 'php-getid3', 'libjs-cropper', 'libjs-underscore', 'libjs-lodash'],
    ...['libjs-jquery-ui', 'libphp-phpmailer'],
  ],
};
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
  ...['paid-once', 'service-routes', 'multisite', 'shipped-files', 'translated'],
];
/** Main tests, for profiles in which each request compiles all of WordPress. */
const MAIN_TESTS = ['replace-and-restore', 'kept-addresses', 'optimize-page', 'shipped-files'];

interface Outcome {
  profile: string;
  version: string;
  result: string;
  seconds: number;
}

/** Unpacks the WordPress of a release and returns its folder. */
function unpack(suite: string): string {
  const folder = join(cache, suite);
  const tree = join(folder, 'wordpress');
  if (existsSync(tree)) return tree;
  rmSync(folder, { recursive: true, force: true });
  for (const path of ['lists/partial', 'cache/archives/partial', 'packages', 'root']) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  const sources = readFileSync('/etc/apt/sources.list.d/debian.sources', 'utf8');
  // The unstable release has no updates and no security archive: only its main part.
  const stanzas = sources.split('\n\n').filter((part) => suite !== 'sid' || !part.includes('-security'));
  const release = /^Suites: (\w+)/m.exec(sources)?.[1] ?? 'bookworm';
  const list = join(folder, 'debian.sources');
  writeFileSync(
    list,
    stanzas
      .join('\n\n')
      .replaceAll(release, suite)
      .replace(/^(Suites: sid).*$/gm, '$1'),
  );
  const options = {
    'Dir::Etc::SourceList': list,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const apt = (...args: string[]) =>
    execFileSync('apt-get', [...flags, '-qq', ...args], { cwd: join(folder, 'packages'), stdio: 'inherit' });
  apt('update');
  apt('download', 'wordpress', ...(SUITES[suite] ?? []));
  execFileSync('sh', ['-c', 'for d in packages/*.deb; do dpkg-deb -x "$d" root; done'], { cwd: folder });
  const whole = join(folder, 'root/usr/share/wordpress');
  // Links of the package point to the installed location.
  for (const name of ['wp-config.php', '.htaccess']) rmSync(join(whole, name), { force: true });
  execFileSync('sh', ['-c', LINKS, 'sh', join(folder, 'root'), whole]);
  cpSync(whole, tree, { recursive: true, dereference: true });
  rmSync(join(folder, 'root'), { recursive: true });
  return tree;
}

/** Rewrites absolute links to targets below the unpacked root and removes broken ones. */
const LINKS = `find "$2" -type l | while read -r link; do
  target=$(readlink "$link")
  case "$target" in /*) ln -sfn "$1$target" "$link";; esac
  [ -e "$link" ] || rm -f "$link"
done`;

function versionOf(tree: string): string {
  return /\$wp_version\s*=\s*'([^']+)'/.exec(readFileSync(join(tree, 'wp-includes/version.php'), 'utf8'))?.[1] ?? '?';
}

function run(profile: string, version: string, env: Record<string, string>, names = TESTS): Outcome {
  console.log(`\n== ${profile}: WordPress ${version}`);
  const begin = Date.now();
  const tests = names.map((name) => `test/wordpress/${name}`);
  const isLong = (test: string) => existsSync(join(root, `${test}.long.test.ts`));
  const passes = (mode: 'test' | 'long') => {
    const ofMode = tests.filter((test) => isLong(test) === (mode === 'long'));
    if (ofMode.length === 0) return true;
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--mode', mode, ...ofMode];
    const { status } = spawnSync(process.execPath, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    });
    return status === 0;
  };
  const passed = [passes('test'), passes('long')].every(Boolean);
  const seconds = Math.round((Date.now() - begin) / 1000);
  return { profile, version, result: passed ? 'passed' : 'FAILED', seconds };
}

const wanted = process.argv.slice(2);
const outcomes: Outcome[] = [];
for (const suite of Object.keys(SUITES)) {
  if (wanted.length > 0 && !wanted.includes(suite)) continue;
  const tree = unpack(suite);
  outcomes.push(run(`php -S, tree of Debian ${suite}`, versionOf(tree), { IMAGEWRIGHT_TEST_WORDPRESS: tree }));
}
if (wanted.length === 0 || wanted.includes('oldest')) {
  const tree = unpack('bookworm');
  const env = { IMAGEWRIGHT_TEST_PHP: 'wasm-7.4', IMAGEWRIGHT_TEST_WORDPRESS: tree };
  outcomes.push(run('PHP 7.4 as WebAssembly, tree of Debian bookworm', versionOf(tree), env, MAIN_TESTS));
}
if (wanted.length === 0 || wanted.includes('nginx')) {
  const tree = existsSync(join(cache, 'trixie')) ? unpack('trixie') : null;
  outcomes.push(
    run('nginx and PHP-FPM', tree ? versionOf(tree) : '6.5', {
      IMAGEWRIGHT_TEST_SERVER: 'nginx',
      ...(tree ? { IMAGEWRIGHT_TEST_WORDPRESS: tree } : {}),
    }),
  );
}
console.table(outcomes);
process.exitCode = outcomes.every(({ result }) => result === 'passed') ? 0 : 1;
