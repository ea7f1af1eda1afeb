import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackDebianPackages } from '../../support/debian-suite.ts';

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
  const root = unpackDebianPackages(suite, ['wordpress', ...SUITES[suite]], { folder });
  const whole = join(root, 'usr/share/wordpress');
  // Links of the package point to the installed location.
  for (const name of ['wp-config.php', '.htaccess']) rmSync(join(whole, name), { force: true });
  execFileSync('sh', ['-c', LINKS, 'sh', root, whole]);
  cpSync(whole, tree, { recursive: true, dereference: true });
  rmSync(root, { recursive: true });
  return tree;
}

/** Rewrites absolute links to targets below the unpacked root and removes broken ones. */
const LINKS = `find "$2" -type l | while read -r link; do
  target=$(readlink "$link")
  case "$target" in /*) ln -sfn "$1$target" "$link";; esac
  [ -e "$link" ] || rm -f "$link"
done`;
