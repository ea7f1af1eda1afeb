import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Creates a tiny service in a new directory, with the real start script, build configuration and packages. */
const root = mkdtempSync(join(tmpdir(), 'imagewright-start-'));

function write(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

function start(...args: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['server/start.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { stdout, stderr, status };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

beforeAll(() => {
  for (const path of [
    'server/start.mjs',
    'vite.config.ts',
    'widget/build',
    'plugin-bridge/build',
    'widget/styles/tokens.css',
    'widget/styles/palette.css',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
  ]) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    cpSync(path, join(root, path), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  write('server/contract/index.ts', "export const greeting: string = 'one';\n");
  write('server/main.ts', "import { greeting } from '#contract';\nconsole.log(greeting, ...process.argv.slice(2));\n");
  write('server/admin/main.ts', 'console.log(JSON.stringify(process.argv.slice(2)));\n');
  write('server/pool/start-worker.ts', "export const workerFile = new URL('./worker.js', import.meta.url);\n");
  write('server/pool/worker.ts', "process.send?.('ready');\n");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('server/start.mjs', () => {
  it('builds missing targets, reports it in one line on standard error, and runs the service', () => {
    const { stdout, stderr, status } = start();
    expect(status).toBe(0);
    expect(stdout).toBe('one\n');
    expect(stderr).toMatch(/^Building the service … done in [\d.]+ s\n$/);
    expect(existsSync(join(root, 'dist/server/pool/worker.js'))).toBe(true);
  });

  it('builds nothing while the contents of the sources are the same', () => {
    write('server/contract/index.ts', "export const greeting: string = 'one';\n");
    expect(start()).toEqual({ stdout: 'one\n', stderr: '', status: 0 });
  });

  it('starts no service for a word that is no command', () => {
    const { stdout, stderr, status } = start('amdin', 'check');
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
    expect(stderr).toContain('received "amdin"');
    expect(start('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(start('--help')).toMatchObject({ stdout: expect.stringContaining('admin COMMAND'), stderr: '', status: 0 });
  });

  it('builds again when a source has changed, and removes the old build', () => {
    write('server/contract/index.ts', "export const greeting: string = 'two';\n");
    unlinkSync(join(root, 'server/pool/worker.ts'));
    expect(start().stdout).toBe('two\n');
    expect(existsSync(join(root, 'dist/server/pool'))).toBe(false);
    expect(readdirSync(join(root, 'dist'))).toEqual(['server']);
  });

  it('runs another program by its name, with its arguments and nothing else on standard output', () => {
    expect(start('admin', 'credits', '--amount', '5').stdout).toBe('["credits","--amount","5"]\n');
  });

  it('builds the pages of the checkout, each when its own sources have changed', () => {
    write('widget/index.ts', "export const word: string = 'first';\n");
    for (const file of ['define', 'iife'])
      write(`widget/${file}.ts`, "import { word } from './index.ts'; alert(word);\n");
    write('widget/link/index.ts', "import { word } from '../index.ts'; alert(word);\n");
    write('widget/i18n/de.ts', "export const de = { word: 'Wort' };\n");
    cpSync('widget/i18n/unpack-texts.ts', join(root, 'widget/i18n/unpack-texts.ts'));
    write('widget/custom-elements.json', '{ "schemaVersion": "2.1.0", "modules": [] }\n');
    write('widget/demo/index.html', '<!doctype html><title>t</title><script type="module" src="./demo.ts"></script>\n');
    write('widget/demo/demo.ts', "import '../define.ts';\n");
    const built = () => start().stderr.match(/(?<=Building the )[a-z ]+/g) ?? [];
    expect(built()).toEqual(['widget ', 'demo page ']);
    const widget = readdirSync(join(root, 'dist/widget'), { recursive: true });
    expect(widget).toEqual(
      expect.arrayContaining([
        'index.js',
        'define.js',
        'share.js',
        'imagewright.iife.js',
        'locales/de.js',
        'custom-elements.json',
      ]),
    );
    expect(existsSync(join(root, 'dist/demo/index.html'))).toBe(true);
    expect(built()).toEqual([]);
    write('widget/demo/demo.ts', "import '../define.ts';\nalert(2);\n");
    expect(built()).toEqual(['demo page ']);
    write('widget/index.ts', "export const word: string = 'second';\n");
    expect(start('admin').stderr).toBe('');
    expect(start('build', 'widget').stderr).toContain('widget');
    expect(built()).toEqual(['demo page ']);
    expect(start('build', 'dogs')).toMatchObject({ status: 1, stderr: expect.stringContaining('"dogs"') });
    rmSync(join(root, 'widget'), { recursive: true });
    cpSync('widget/build', join(root, 'widget/build'), { recursive: true });
  });

  it('does not affect a running service if a build fails', () => {
    write('server/main.ts', "import './missing.ts';\n");
    const { status, stderr } = start();
    expect(status).not.toBe(0);
    expect(stderr).toContain('missing.ts');
    expect(execFileSync(process.execPath, ['dist/server/main.js'], { cwd: root, encoding: 'utf8' })).toBe('two\n');
  });

  it('runs in its own process, so that a signal reaches the service', async () => {
    write(
      'server/main.ts',
      "process.on('SIGTERM', () => process.exit(7));\nsetInterval(() => {}, 1000);\nconsole.log('up');\n",
    );
    const child = spawn(process.execPath, ['server/start.mjs'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(7);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'by npm ends with its shell, which passes %s on to nobody',
    async (signal) => {
      write(
        'server/main.ts',
        "process.on('SIGTERM', () => process.exit(7));\nsetInterval(() => {}, 1000);\nconsole.log(process.pid);\n",
      );
      // A command behind it keeps the shell from becoming the program, as some shells do.
      const shell = spawn('sh', ['-c', 'node server/start.mjs; true'], {
        ...{ cwd: root, stdio: ['ignore', 'pipe', 'ignore'] },
        env: { ...process.env, npm_lifecycle_event: 'start' },
      });
      const [said] = await once(shell.stdout, 'data');
      const service = Number(String(said));
      shell.kill(signal);
      await expect.poll(() => isRunning(service)).toBe(false);
    },
  );

  it('by npm ends with npm', async () => {
    const npm = spawn('npm', ['start', '--silent'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
    const [said] = await once(npm.stdout, 'data');
    npm.kill('SIGTERM');
    await expect.poll(() => isRunning(Number(String(said)))).toBe(false);
  });

  it('without build tools runs an existing build, warns if it is old, and fails clearly without one', () => {
    write('server/main.ts', "console.log('newer');\n");
    unlinkSync(join(root, 'node_modules'));
    const old = start('admin', 'x');
    expect(old).toMatchObject({ stdout: '["x"]\n', status: 0 });
    expect(old.stderr).toContain('older than the sources');

    unlinkSync(join(root, 'vite.config.ts'));
    expect(start('admin', 'x')).toEqual({ stdout: '["x"]\n', stderr: '', status: 0 });

    rmSync(join(root, 'dist'), { recursive: true });
    cpSync('vite.config.ts', join(root, 'vite.config.ts'));
    const none = start();
    expect(none.status).not.toBe(0);
    expect(none.stderr).toContain('run `npm ci && npm run build`, then `npm ci --omit=dev`');
  });
});
