import { execFile } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Installs a sub-package from its lock file if it is missing. Such packages are not dependencies of the project: they are large,
 * and required by a few tests only.
 */
export async function installPackages(folder: string): Promise<void> {
  const lock = await readFile(join(folder, 'package-lock.json'), 'utf8');
  const stamp = join(folder, 'node_modules', '.installed-from');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === lock) return;
  console.log(`Installing ${folder.slice(folder.indexOf('test/'))} (once; up to a minute) …`);
  const npm = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const env = envOutside();
  const command = await npmCommand();
  await promisify(execFile)(command.file, [...command.args, ...npm], { cwd: folder, env, maxBuffer: 1 << 26 });
  await writeFile(`${stamp}.part`, lock);
  await rename(`${stamp}.part`, stamp);
}

/**
 * Returns the environment of this process without what the test runner and an outer `npm test` have set: npm would install the outer package,
 * and programs would run as neither development nor production.
 */
export function envOutside(): NodeJS.ProcessEnv {
  const ours = /^(npm_(config_local_prefix|package_|lifecycle_)|NODE_ENV$|VITEST|TEST$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}

/** Path of the npm that runs this process, else of the one beside this Node. `PATH` may contain neither. */
async function npmCommand(): Promise<{ file: string; args: string[] }> {
  if (process.env.npm_execpath?.endsWith('.js')) return { file: process.execPath, args: [process.env.npm_execpath] };
  try {
    const beside = createRequire(process.execPath).resolve('../lib/node_modules/npm/bin/npm-cli.js');
    return { file: process.execPath, args: [beside] };
  } catch {
    return { file: 'npm', args: [] };
  }
}
