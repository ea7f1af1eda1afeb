import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { ENGINE_FRONTS } from '../build/builds.ts';

const IMPORT = /(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g;
/** Entry modules of the engine, by path below `dist/server`: of programs, and of its worker processes. */
const ENGINE_ENTRIES = ['processing/index.js', 'processing/worker/main.js'];

/** Module that stands for one of the engine in another package. */
const standIn = (path: string) => `export * from '@imagewright/engine/internal/${path}';\n`;

/**
 * Lists the modules of the engine in the built service: its entries and all that they import.
 * @param server folder of the built service
 */
async function engineModules(server: string): Promise<string[]> {
  const found = new Set<string>();
  const waiting = [...ENGINE_ENTRIES];
  for (let path = waiting.shift(); path; path = waiting.shift()) {
    if (found.has(path)) continue;
    found.add(path);
    waiting.push(...(await importsOf(server, path)));
  }
  return [...found];
}

/** Copies the engine out of the built service. */
export async function copyEngine(server: string, folder: string): Promise<void> {
  for (const path of await engineModules(server)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // A module without code of its own has no map.
    for (const name of [path, `${path}.map`]) {
      if (existsSync(join(server, name))) await cp(join(server, name), join(folder, name));
    }
  }
}

/** Replaces the engine in a copy of the built service by that of the package, so that there is one. */
export async function useEngine(server: string): Promise<void> {
  for (const path of await engineModules(server)) {
    await rm(join(server, `${path}.map`), { force: true });
    if (path.startsWith('processing/worker/')) await rm(join(server, path));
    else await writeFile(join(server, path), standIn(path));
  }
}

/** Writes the modules by which another program finds the engine. */
export async function writeFronts(folder: string): Promise<void> {
  await mkdir(join(folder, 'processing'), { recursive: true });
  for (const path of ENGINE_FRONTS) await writeFile(join(folder, `${path}.js`), standIn(`${path}.js`));
}

/** Names the program of administration as who has the package or the archive starts it. @param command before its words */
export async function nameAdminCommand(server: string, command: string): Promise<void> {
  const module = join(server, 'admin-command.js');
  // Its text would be part of other modules if the build did not keep them apart.
  if (!existsSync(module)) throw new Error(`${module} is missing`);
  await rm(`${module}.map`, { force: true });
  await writeFile(module, `export const adminCommand = (words) => '${command} ' + words;\n`);
}

async function importsOf(folder: string, path: string): Promise<string[]> {
  const text = await readFile(join(folder, path), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, source = '']) => posix.join(posix.dirname(path), source));
}
