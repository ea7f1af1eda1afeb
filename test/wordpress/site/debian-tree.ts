import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('../node_modules/.cache/debian/', import.meta.url));

/** Releases of Debian and the packages that a whole WordPress needs there: the main package has no theme. */
const SUITES = {
  bookworm: ['wordpress-theme-twentytwentythree', 'php-getid3', 'libjs-cropper', 'libjs-underscore'],
  trixie: ['wordpress-theme-twentytwentyfive', 'php-getid3', 'libjs-cropper', 'libjs-underscore', 'libjs-lodash'],
  sid: [
    ...['wordpress-theme-twentytwentyfive', 'php-getid3', 'libjs-cropper', 'libjs-underscore', 'libjs-lodash'],
    ...['libjs-jquery-ui', 'libphp-phpmailer'],
  ],
};

/** A release of Debian that has WordPress. */
export type DebianSuite = keyof typeof SUITES;

export const DEBIAN_SUITES = Object.keys(SUITES) as DebianSuite[];

/** Releases of Debian by the version of their WordPress. */
export const SUITE_OF_VERSION = { '6.1': 'bookworm', '6.8': 'trixie', '7.1': 'sid' } as const;

/** Unpacks the WordPress of a release, never installs it, and returns its folder. Requires apt-get the first time. */
export function unpackDebianTree(suite: DebianSuite): string {
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
  apt('download', 'wordpress', ...SUITES[suite]);
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
