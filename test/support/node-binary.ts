import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LOCKED = fileURLToPath(new URL('../runtimes/', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/imagewright-node/', import.meta.url));

/**
 * Returns the path of a Node of this major version: the one that runs the tests, or the release of `test/runtimes`, which
 * npm installs once into node_modules/.cache and checks by its integrity. Null, with a warning, where that is not possible.
 */
export async function nodeBinary(major: 20 | 22 | 24 | 26): Promise<string | null> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  try {
    if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('the packages are for Linux on x64');
    const { packages } = JSON.parse(await readFile(join(LOCKED, 'package-lock.json'), 'utf8'));
    const { version } = packages[`node_modules/node${major}`] ?? {};
    if (!version) throw new Error('test/runtimes does not name it');
    const binary = join(CACHE, version, 'bin/node');
    if (!(await stat(binary).catch(() => null))) await install();
    return binary;
  } catch (error) {
    console.warn(`SKIPPED: no Node ${major} for the tests: ${error instanceof Error ? error.message : error}`);
    return null;
  }
}

/** Installs all releases in a new folder and moves each to its place, so that no process sees half of one. */
async function install(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'install-'));
  try {
    for (const file of ['package.json', 'package-lock.json']) await copyFile(join(LOCKED, file), join(folder, file));
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
    const { dependencies } = JSON.parse(await readFile(join(LOCKED, 'package.json'), 'utf8'));
    for (const [name, spec] of Object.entries<string>(dependencies)) {
      // Another process may have been faster.
      await rename(join(folder, 'node_modules', name), join(CACHE, spec.slice(spec.lastIndexOf('@') + 1))).catch(
        () => {},
      );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
