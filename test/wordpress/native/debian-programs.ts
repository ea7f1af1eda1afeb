import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Everything that a WordPress on MariaDB needs beside its own files. */
const PACKAGES = [
  ...['php-cli', 'php-fpm', 'php-mysql', 'php-sqlite3', 'php-gd', 'php-curl', 'php-xml', 'php-mbstring', 'php-intl'],
  ...['mariadb-server-core', 'mariadb-client-core', 'nginx', 'apache2-bin'],
];
/** Modules of PHP, each after those that it builds upon. */
const MODULES = [
  ...['pdo', 'mysqlnd', 'mysqli', 'sqlite3', 'pdo_sqlite', 'xml', 'dom', 'simplexml', 'xmlreader', 'xmlwriter'],
  ...['ctype', 'curl', 'exif', 'fileinfo', 'gd', 'iconv', 'intl', 'mbstring', 'phar', 'posix', 'tokenizer'],
];

const cache = fileURLToPath(new URL('../../../node_modules/.cache/debian-native/', import.meta.url));
const root = join(cache, 'root');

/**
 * Fetches the packages that this machine lacks with apt-get, unpacks them without installing anything, and returns the
 * environment in which the tests find the programs.
 * @throws Error if there is no apt-get, no network or not all packages
 */
export function fetchPrograms(): Record<string, string> {
  if (!existsSync(join(cache, 'complete'))) {
    rmSync(cache, { recursive: true, force: true });
    for (const path of ['lists/partial', 'archives/partial', 'root/usr', 'php.d']) {
      mkdirSync(join(cache, path), { recursive: true });
    }
    const options = {
      'Dir::State::Lists': join(cache, 'lists'),
      'Dir::Cache': cache,
      'Debug::NoLocking': 'true',
      // As this user: the one that apt-get would change to cannot write here.
      'APT::Sandbox::User': 'root',
    };
    const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const apt = (...args: string[]) => execFileSync('apt-get', [...flags, '-qq', ...args], { stdio: 'inherit' });
    apt('update');
    apt('install', '--download-only', '--no-install-recommends', '--yes', ...PACKAGES);
    execFileSync('sh', ['-c', 'for d in archives/*.deb; do dpkg-deb -x "$d" root; done'], { cwd: cache });
    rmSync(join(cache, 'lists'), { recursive: true });
  }
  const env = environment();
  writeFileSync(join(cache, 'complete'), '');
  return env;
}

function environment(): Record<string, string> {
  const libraries = ['usr/lib', 'lib'].flatMap((folder) =>
    namesIn(join(root, folder))
      .filter((name) => name.endsWith('-linux-gnu'))
      .map((name) => join(root, folder, name)),
  );
  const fpm = find('usr/sbin', /^php-fpm[\d.]+$/);
  const php = find('usr/bin', new RegExp(`^${basename(fpm).replace('-fpm', '')}$`));
  const env = {
    LD_LIBRARY_PATH: [...libraries, process.env.LD_LIBRARY_PATH ?? ''].filter(Boolean).join(':'),
    PHP_INI_SCAN_DIR: join(cache, 'php.d'),
    IMAGEWRIGHT_TEST_PHP: php,
    IMAGEWRIGHT_TEST_PHP_FPM: fpm,
    IMAGEWRIGHT_TEST_NGINX: find('usr/sbin', /^nginx$/),
    IMAGEWRIGHT_TEST_APACHE2: find('usr/sbin', /^apache2$/),
    IMAGEWRIGHT_TEST_MARIADBD: find('usr/sbin', /^mariadbd$/),
    IMAGEWRIGHT_TEST_MARIADB: find('usr/bin', /^mariadb$/),
  };
  writeFileSync(join(cache, 'php.d/modules.ini'), modules(php, env));
  return env;
}

/** Configures PHP to load its modules from the unpacked packages, else from this machine. */
function modules(php: string, env: Record<string, string>): string {
  const folder = execFileSync(php, ['-n', '-r', 'echo PHP_EXTENSION_DIR;'], { env: { ...process.env, ...env } });
  const path = (name: string) => find(folder.toString().slice(1), new RegExp(`^${name}\\.so$`));
  return [`zend_extension=${path('opcache')}`, ...MODULES.map((name) => `extension=${path(name)}`), ''].join('\n');
}

/** Path of a file of the unpacked packages, else of this machine. @throws Error if neither has it */
function find(folder: string, name: RegExp): string {
  for (const place of [join(root, folder), join('/', folder)]) {
    const found = namesIn(place).find((one) => name.test(one));
    if (found) return join(place, found);
  }
  throw new Error(`neither the packages of Debian nor this machine have ${name} in /${folder}`);
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
