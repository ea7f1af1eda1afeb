// `npm run check:wordpress`: checks the built plugin as wordpress.org does. Folders and programs come from the environment; what is not
// there is named and not run, which `IMAGEWRIGHT_CHECK_ALL=1` counts as a failure.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readLinks } from '../../../plugin-bridge/wordpress/build/links.ts';
import { installPackages } from '../../support/install-packages.ts';
import { lint } from '../site/lint.ts';
import { wasmPhp } from '../site/packages.ts';
import { findPhp } from '../site/php.ts';
import { prepare } from '../site/prepare.ts';
import { cycles, forbiddenArrows, readClasses } from './arrows.ts';
import { findCodeSniffer, sniff } from './code-sniffer.ts';
import { checkWithPluginCheck } from './plugin-check.ts';

interface Outcome {
  check: string;
  result: 'passed' | 'FAILED' | 'not run';
  reason: string;
}

const outcomes: Outcome[] = [];

function note(check: string, report: string): void {
  if (report) console.log(`\n== ${check}\n${report}`);
  outcomes.push({ check, result: report ? 'FAILED' : 'passed', reason: '' });
}

function skip(check: string, reason: string): void {
  outcomes.push({ check, result: 'not run', reason });
}

const { built } = await prepare();
const files = readdirSync(built.folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.php'))
  .map((name) => join(built.folder, name));

const classes = readClasses();
note('arrows between folders', forbiddenArrows(classes).join('\n'));
note(
  'circles of classes',
  cycles(classes)
    .map((names) => names.join(' '))
    .join('\n'),
);
await checkSyntax();
const php = await findPhp();
const sniffer = php ? findCodeSniffer(php) : null;
if (!php || !sniffer) {
  const reason = php
    ? 'neither IMAGEWRIGHT_PHPCS nor a package of Debian'
    : 'no PHP on this machine (IMAGEWRIGHT_TEST_PHP)';
  for (const check of ['PHP_CodeSniffer', 'WordPress Coding Standards', 'PHPCompatibility']) skip(check, reason);
} else {
  note(`PHP_CodeSniffer ${sniffer.version}, its own sniffs`, sniff(php, sniffer, built.folder));
  checkStandard('WordPress Coding Standards', 'IMAGEWRIGHT_WPCS', 'WordPress');
  checkStandard('PHPCompatibility', 'IMAGEWRIGHT_PHPCOMPATIBILITY', 'PHPCompatibilityWP', [
    '--runtime-set',
    'testVersion',
    '7.4-',
  ]);
}
const pluginCheck = php ? await checkWithPluginCheck(php) : null;
if (pluginCheck === null) skip('Plugin Check', 'IMAGEWRIGHT_PLUGIN_CHECK and IMAGEWRIGHT_WP_CLI are not set');
else note('Plugin Check', pluginCheck);
const links = await readLinks();
const missing = [
  links.homepage ? '' : 'homepage',
  links.author ? '' : 'author.url',
  links.sources ? '' : 'repository.url',
].filter(Boolean);
if (missing.length > 0) skip('links for wordpress.org', `package.json has no ${missing.join(' and ')}`);
else note('links for wordpress.org', '');

console.table(outcomes);
const isComplete = process.env.IMAGEWRIGHT_CHECK_ALL !== '1' || outcomes.every(({ result }) => result !== 'not run');
process.exitCode = isComplete && outcomes.every(({ result }) => result !== 'FAILED') ? 0 : 1;

/** Runs `php -l` of this machine's PHP, of 7.4 and of 8.3. The latter two are WebAssembly. */
async function checkSyntax(): Promise<void> {
  const own = await findPhp();
  if (own) {
    const { stdout } = spawnSync(own, ['-r', 'echo PHP_VERSION;'], { encoding: 'utf8' });
    note(`php -l of PHP ${stdout}`, (await lint(own, files)).join('\n'));
  } else skip('php -l of this machine', 'no PHP on this machine (IMAGEWRIGHT_TEST_PHP)');
  const before = process.env.IMAGEWRIGHT_TEST_PHP;
  for (const engine of ['wasm-7.4', 'none']) {
    process.env.IMAGEWRIGHT_TEST_PHP = engine;
    await installPackages(wasmPhp().folder);
    note(`php -l of PHP ${wasmPhp().version} as WebAssembly`, (await lint(null, files)).join('\n'));
  }
  if (before === undefined) delete process.env.IMAGEWRIGHT_TEST_PHP;
  else process.env.IMAGEWRIGHT_TEST_PHP = before;
}

/** Checks by a standard whose folder an environment variable names. Several folders are separated by commas. */
function checkStandard(check: string, variable: string, standard: string, settings: string[] = []): void {
  const folders = process.env[variable]?.split(',').filter(Boolean) ?? [];
  if (!php || !sniffer || folders.length === 0) skip(check, `${variable} is not set`);
  else note(check, sniff(php, sniffer, built.folder, { standard, folders, settings }));
}
