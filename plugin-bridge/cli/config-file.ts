import { existsSync, lstatSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { usageError } from './exit-codes.ts';
import { printable } from './printable.ts';

/** A configuration file: options by name, and the patterns. */
export interface ConfigFile {
  path: string;
  /** Folder from which its patterns and paths are meant. */
  folder: string;
  patterns: string[];
  /** Values of options as on the command line, by name without dashes. */
  values: Record<string, string | boolean>;
}

/** Type of an option on the command line. */
export type Flags = Readonly<Record<string, { type: 'string' | 'boolean' }>>;

const NAMES = ['imagewright.config.json', 'imagewright.config.mjs'];
/** Options of one run, and secrets, which belong into the environment. */
const NOT_IN_FILES = ['api-key', 'config', 'help', 'version', 'json', 'dry-run', 'check', 'force', 'overwrite'];

/**
 * Reads the configuration file: the given one, else the nearest one from a folder up to that of its project; undefined if there is none.
 * @throws CliError 2 if it cannot be read, sets something that is no option, or was found and belongs to another user
 */
export async function readConfigFile(
  given: string | undefined,
  cwd: string,
  flags: Flags,
): Promise<ConfigFile | undefined> {
  const path = given ?? findConfigFile(cwd);
  if (path === undefined) return undefined;
  if (given === undefined) requireOwn(path);
  const content = await load(path).catch((error: unknown) => {
    throw usageError(`${printable(path)}: ${printable(error instanceof Error ? error.message : String(error))}`);
  });
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw usageError(`${printable(path)}: expected an object of options`);
  }
  const { patterns = [], ...options } = content as Record<string, unknown>;
  const list = typeof patterns === 'string' ? [patterns] : patterns;
  if (!Array.isArray(list) || !list.every((one): one is string => typeof one === 'string')) {
    throw usageError(`${printable(path)}: patterns: expected a text or a list of texts`);
  }
  const values = Object.entries(options).map(([name, value]) => optionOf(path, { name, value }, flags));
  return { path, folder: dirname(path), patterns: list, values: Object.fromEntries(values) };
}

function findConfigFile(cwd: string): string | undefined {
  const top = projectFolder(cwd);
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = NAMES.map((name) => join(folder, name)).find(existsSync);
    if (found !== undefined || folder === top || dirname(folder) === folder) return found;
  }
}

/** Returns the folder in which the search ends: the nearest with `.git`, else with `package.json`, else the folder itself. */
function projectFolder(cwd: string): string {
  for (const mark of ['.git', 'package.json']) {
    for (let folder = cwd; ; folder = dirname(folder)) {
      if (existsSync(join(folder, mark))) return folder;
      if (dirname(folder) === folder) break;
    }
  }
  return cwd;
}

/** @throws CliError 2 if a file that nobody named, or the link to it, belongs to another user than this one and root */
function requireOwn(path: string): void {
  const self = process.getuid?.();
  // Windows has no such numbers.
  if (self === undefined) return;
  const owner = [lstatSync(path), statSync(path)].map(({ uid }) => uid).find((uid) => uid !== self && uid !== 0);
  if (owner === undefined) return;
  const whose = `belongs to another user (${owner}), so it is not read, since it could be a trap`;
  throw usageError(`${printable(path)}: ${whose}. If you trust it: --config ${printable(path)}`);
}

async function load(path: string): Promise<unknown> {
  if (path.endsWith('.json')) return JSON.parse(await readFile(path, 'utf8'));
  const module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as { default?: unknown };
  return module.default;
}

/** Converts `maxWidth: 1600` to the option `max-width`, and lists to texts with commas. */
function optionOf(path: string, { name, value }: { name: string; value: unknown }, flags: Flags) {
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const known = Object.keys(flags).filter((one) => !NOT_IN_FILES.includes(one));
  if (flag === 'api-key')
    throw usageError(`${printable(path)}: ${name}: a key belongs into IMAGEWRIGHT_API_KEY, not into a file`);
  if (!known.includes(flag)) {
    const names = known.map((one) => one.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()));
    throw usageError(`${printable(path)}: ${name}: no such option; there are patterns, ${names.join(', ')}`);
  }
  const isText = flags[flag]?.type === 'string';
  if (!isText && typeof value !== 'boolean')
    throw usageError(`${printable(path)}: ${printable(name)}: expected true or false`);
  if (!isText) return [flag, value as boolean] as const;
  const texts = Array.isArray(value) ? value : [value];
  if (!texts.every((one) => typeof one === 'string' || typeof one === 'number')) {
    throw usageError(`${printable(path)}: ${printable(name)}: expected a text, a number or a list of them`);
  }
  return [flag, texts.join(',')] as const;
}
