import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('../../../node_modules/.cache/php-codesniffer/', import.meta.url));
const RULES = fileURLToPath(new URL('../../../plugin-bridge/wordpress/phpcs.xml', import.meta.url));

/** PHP_CodeSniffer and how it is called. */
export interface CodeSniffer {
  /** Arguments of PHP before those of the program. */
  program: string[];
  version: string;
}

/**
 * Finds PHP_CodeSniffer: `IMAGEWRIGHT_PHPCS` (path of `phpcs` or `phpcs.phar`), else the package of Debian, which is unpacked and never
 * installed. Null if neither can be had.
 */
export function findCodeSniffer(php: string): CodeSniffer | null {
  const given = process.env.IMAGEWRIGHT_PHPCS;
  const program = given ? [given] : fromDebian();
  if (!program) return null;
  const { stdout, status } = spawnSync(php, [...program, '--version'], { encoding: 'utf8' });
  return status === 0 ? { program, version: /[\d.]+\d/.exec(stdout)?.[0] ?? '?' } : null;
}

function fromDebian(): string[] | null {
  const root = join(cache, 'root');
  const phpcs = join(root, 'usr/bin/phpcs');
  if (!existsSync(phpcs)) {
    try {
      rmSync(cache, { recursive: true, force: true });
      mkdirSync(cache, { recursive: true });
      execFileSync('apt-get', ['download', 'php-codesniffer'], { cwd: cache, stdio: 'ignore' });
      const archive = readdirSync(cache).find((name) => name.endsWith('.deb')) ?? '';
      execFileSync('dpkg-deb', ['-x', join(cache, archive), root]);
    } catch {
      return null;
    }
  }
  return ['-d', `include_path=${join(root, 'usr/share/php')}`, phpcs];
}

/**
 * Checks a folder by a standard: the rules of WordPress that PHP_CodeSniffer's own sniffs check, or the standards in other folders.
 * Returns its report; empty without errors.
 */
export function sniff(
  php: string,
  { program }: CodeSniffer,
  folder: string,
  { standard = RULES, folders = [] as string[], settings = [] as string[] } = {},
): string {
  const installed = folders.length > 0 ? ['--runtime-set', 'installed_paths', folders.join(',')] : [];
  const { status, stdout, stderr } = spawnSync(
    php,
    [
      ...program,
      `--standard=${standard}`,
      '-s',
      '-n',
      '--extensions=php',
      '--ignore=*/build/*',
      ...installed,
      ...settings,
      folder,
    ],
    { encoding: 'utf8', maxBuffer: 1e8 },
  );
  return status === 0 ? '' : `${stdout}${stderr}`.trim() || `phpcs ended with ${status}`;
}
