import { execFile } from 'node:child_process';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PACKED = resolve('dist/packages');
const TYPESCRIPT = resolve('node_modules/typescript/bin/tsc');

/** Packs everything; returns the paths of the archives by the names of their packages, `/` as `-`. */
export async function packAll(): Promise<Record<string, string>> {
  await run(process.execPath, ['--import', 'tsx', 'plugin-bridge/pack/main.ts']);
  const archives = (await readdir(PACKED)).filter((name) => name.endsWith('.tgz'));
  return Object.fromEntries(archives.map((name) => [name.replace(/-\d.*/, ''), join(PACKED, name)]));
}

/** A project outside of the repository. */
export interface EmptyProject {
  folder: string;
  /** Installs packages by npm. */
  install(specs: string[], ...options: string[]): Promise<void>;
  /** Runs a program of Node; returns what it prints. */
  node(...words: string[]): Promise<string>;
  /** Compiles a file with all strictness, and the declarations of the packages too. @throws with what TypeScript prints */
  compile(file: string, text: string, resolution: 'bundler' | 'nodenext'): Promise<void>;
}

/** Creates a project with nothing in it. */
export async function createEmptyProject(): Promise<EmptyProject> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-project-'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  return {
    folder,
    async install(specs, ...options) {
      await run('npm', ['install', '--no-audit', '--no-fund', ...options, ...specs], { cwd: folder });
    },
    async node(...words) {
      return (await run(process.execPath, words, { cwd: folder })).stdout;
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
