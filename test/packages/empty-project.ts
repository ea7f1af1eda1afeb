import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify, stripVTControlCharacters } from 'node:util';
import { envOutside } from '../support/install-packages.ts';
import { keptInProcess } from '../support/kept-in-process.ts';

const run = promisify(execFile);
const PACKED = resolve('dist/packages');
const TYPESCRIPT = resolve('node_modules/typescript/bin/tsc');

/** Packs everything, once for all test files; returns the paths of the archives by the names of their packages, `/` as `-`. */
export const packAll = keptInProcess(
  async (): Promise<Record<string, string>> => {
    await run(process.execPath, ['--import', 'tsx', 'plugin-bridge/pack/main.ts']);
    const archives = (await readdir(PACKED)).filter((name) => name.endsWith('.tgz'));
    return Object.fromEntries(archives.map((name) => [name.replace(/-\d.*/, ''), join(PACKED, name)]));
  },
  async () => {},
);

/** A project outside of the repository. */
export interface EmptyProject {
  folder: string;
  /** Installs packages by npm. */
  install(specs: string[], ...options: string[]): Promise<void>;
  /** Starts a script of the project; returns the address that it prints. */
  start(
    script: string,
    words: string[],
    env: Record<string, string>,
  ): Promise<{ url: string; stop: () => Promise<void> }>;
  /** Runs a program of Node; returns what it prints. */
  node(...words: string[]): Promise<string>;
  /** Compiles a file with all strictness, and the declarations of the packages too. @throws with what TypeScript prints */
  compile(file: string, text: string, resolution: 'bundler' | 'nodenext'): Promise<void>;
}

/** Creates an empty project, or one with the files of a folder of the repository. */
export async function createEmptyProject(from?: string): Promise<EmptyProject> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-project-'));
  if (from) await cp(from, folder, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  else await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  return {
    folder,
    async install(specs, ...options) {
      await run('npm', ['install', '--no-audit', '--no-fund', ...options, ...specs], {
        cwd: folder,
        env: envOutside(),
      });
    },
    async start(script, words, env) {
      const child = spawn('npm', ['run', '--silent', script, '--', ...words], {
        cwd: folder,
        env: { ...envOutside(), ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      const stop = async () => {
        // npm starts the program as a child of its own.
        if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      };
      for await (const line of createInterface({ input: child.stdout })) {
        const [url] = /http:\/\/[\w.]+:\d+/.exec(stripVTControlCharacters(line)) ?? [];
        if (!url) continue;
        // Nobody reads what it prints next.
        child.stdout.resume();
        return { url, stop };
      }
      throw new Error(`npm run ${script} has printed no address`);
    },
    async node(...words) {
      return (await run(process.execPath, words, { cwd: folder, env: envOutside(), maxBuffer: 1 << 26 })).stdout;
    },
    async compile(file, text, resolution) {
      await writeFile(join(folder, file), text);
      const module = resolution === 'bundler' ? 'esnext' : resolution;
      const options = {
        ...{ noEmit: true, strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
        ...{ skipLibCheck: false, target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable'], types: [] },
        ...{ module, moduleResolution: resolution, jsx: 'react-jsx' },
      };
      const config = join(folder, `tsconfig.${resolution}.json`);
      await writeFile(config, JSON.stringify({ compilerOptions: options, files: [file] }));
      await run(process.execPath, [TYPESCRIPT, '-p', config], { cwd: folder }).catch(({ stdout }) => {
        throw new Error(`${stdout}`);
      });
    },
  };
}
