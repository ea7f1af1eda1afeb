// `npm run pack:server`, after `npm run pack`: archives of the service and the command line program with all packages that they need, which run with
// `node` alone. Takes names of processors, e.g. `arm64`; without any it makes all.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nameAdminCommand } from './divide-server.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const output = join(root, 'dist', 'packages');
const { version, workspaces } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
  version: string;
  workspaces: string[];
};

/** Processors of the archives, as npm names them; all are for Linux with glibc. */
const PROCESSORS = ['x64', 'arm64'];
/** Packages with native code for each processor: without one of them the service does not start. */
const NATIVE = ['@img/sharp-linux-', '@img/sharp-libvips-linux-', '@lmdb/lmdb-linux-'];

const work = await mkdtemp(join(tmpdir(), 'imagewright-archives-'));
try {
  const wanted = process.argv.slice(2);
  for (const processor of wanted.length > 0 ? wanted : PROCESSORS) await archive(processor);
} finally {
  await rm(work, { recursive: true, force: true });
}

async function archive(processor: string): Promise<void> {
  const name = `imagewright-server-${version}-linux-${processor}`;
  const folder = join(work, name);
  await cp(join(output, 'imagewright-server'), folder, { recursive: true });
  await nameAdminCommand(join(folder, 'dist', 'server'), 'node server/start.mjs admin');
  const packages = join(folder, 'node_modules');
  await rename(await install(processor), packages);
  for (const native of NATIVE) {
    if (!existsSync(join(packages, native + processor))) throw new Error(`The registry has no ${native}${processor}`);
  }
  const engine = join(packages, '@imagewright', 'engine');
  await rm(join(packages, '@imagewright'), { recursive: true });
  await cp(join(output, 'imagewright-engine'), engine, { recursive: true });
  await rm(join(packages, 'imagewright'), { recursive: true });
  await cp(join(output, 'imagewright'), join(packages, 'imagewright'), { recursive: true });
  const file = join(output, `${name}.tar.gz`);
  execFileSync('tar', ['--owner=0', '--group=0', '-czf', file, '-C', work, name]);
  console.log(`dist/packages: ${name}.tar.gz`);
}

/** Installs the production packages of both programs by the lock file. @returns their folder */
async function install(processor: string): Promise<string> {
  const folder = join(work, processor);
  const manifests = workspaces.map((workspace) => `${workspace}/package.json`);
  for (const file of ['package.json', 'package-lock.json', '.npmrc', ...manifests]) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(root, file), join(folder, file));
  }
  const programs = ['--workspace=@imagewright/server', '--workspace=imagewright'];
  const only = ['--omit=dev', ...programs, '--os=linux', `--cpu=${processor}`, '--libc=glibc'];
  execFileSync('npm', ['ci', '--loglevel=error', ...only], { cwd: folder, stdio: 'inherit' });
  return join(folder, 'node_modules');
}
