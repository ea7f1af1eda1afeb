// `npm run release`: packs, checks and publishes a release; with `--dry-run` all of it but the sending, after which it
// lists what is still to be set. `.github/workflows/release.yml` runs it for a tag. See docs/releasing.md.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { notesOf, obstaclesOf } from './release-obstacles.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const output = join(root, 'dist', 'packages');
/** Packages in the order in which they are published: first those that others want. */
const ORDER = ['-engine', '-server', '', '-unplugin', '-sdk', '-host', '-element'];

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    /** Leaves out the archives of the service with all their packages, which npm installs for each processor. */
    'without-archives': { type: 'boolean', default: false },
  },
});
const { GITHUB_REF_TYPE, GITHUB_REF_NAME } = process.env;
const read = (path: string) => readFile(join(root, path), 'utf8');
const { version, repository } = JSON.parse(await read('package.json')) as {
  version: string;
  repository?: { url?: string };
};
const [changelog, readme] = await Promise.all([read('CHANGELOG.md'), read('plugin-bridge/wordpress/readme.txt')]);
const state = {
  version,
  repository: repository?.url,
  changelog,
  readme,
  tag: GITHUB_REF_TYPE === 'tag' ? GITHUB_REF_NAME : undefined,
};
const obstacles = obstaclesOf(state);
if (obstacles.length > 0 && !values['dry-run']) {
  console.error(`Nothing was published. Still to be set:\n${obstacles.map((line) => `  * ${line}`).join('\n')}`);
  process.exit(1);
}

execFileSync('npm', ['run', '--silent', 'pack'], { cwd: root, stdio: 'inherit' });
if (!values['without-archives'])
  execFileSync('npm', ['run', '--silent', 'pack:server'], { cwd: root, stdio: 'inherit' });
for (const name of ORDER) await check(`imagewright${name}`);
await writeFile(join(output, 'release-notes.md'), notesOf(changelog, version));
await writeFile(join(output, 'SHA256SUMS'), await sumsOf(output));
console.log('dist/packages: release-notes.md, SHA256SUMS');
for (const name of ORDER) publish(`imagewright${name}`);
if (obstacles.length === 0) console.log(values['dry-run'] ? 'Ready to publish.' : `Published ${version}.`);
else console.log(`Not ready. Still to be set:\n${obstacles.map((line) => `  * ${line}`).join('\n')}`);

/** Checks what a package exports. @throws Error that lists what publint found */
async function check(name: string): Promise<void> {
  const pkgDir = join(output, name);
  const { messages, pkg } = await publint({ pkgDir, strict: true });
  // Packages name no repository as long as none is set.
  const found = messages.filter(({ code }) => repository !== undefined || !code.startsWith('INVALID_REPOSITORY'));
  if (found.length === 0) return;
  throw new Error(`${name}:\n${found.map((message) => formatMessage(message, pkg as never)).join('\n')}`);
}

/** Returns true for a package that an earlier attempt has published: npm takes each version once. */
function isPublished(name: string): boolean {
  if (values['dry-run']) return false;
  const { name: full } = JSON.parse(readFileSync(join(output, name, 'package.json'), 'utf8')) as { name: string };
  return spawnSync('npm', ['view', `${full}@${version}`, 'version'], { encoding: 'utf8' }).stdout.trim() === version;
}

/** Sends an archive to the registry: with a proof of where it was built, if it is built by the workflow. */
function publish(name: string): void {
  if (isPublished(name)) {
    console.log(`${name} ${version} is published already`);
    return;
  }
  const archive = join(output, `${name}-${version}.tgz`);
  const how = values['dry-run'] ? ['--dry-run'] : process.env.GITHUB_ACTIONS ? ['--provenance'] : [];
  execFileSync('npm', ['publish', archive, '--access', 'public', '--loglevel', 'error', ...how], { stdio: 'inherit' });
}

/** Lists the SHA-256 of all files of a folder, as `sha256sum` does. */
async function sumsOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && !['SHA256SUMS', 'release-notes.md'].includes(entry.name))
    .map(({ name }) => name);
  const lines = names.sort().map(async (name) => {
    const hash = createHash('sha256').update(await readFile(join(folder, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  return (await Promise.all(lines)).join('');
}
