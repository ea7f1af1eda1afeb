import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { convertPathToPattern, glob, isDynamicPattern } from 'tinyglobby';
import { DEFAULT_INPUT_FORMATS, FORMATS } from '#contract/constants';
import { usageError } from './exit-codes.ts';
import { printable } from './printable.ts';

/** A file found by a pattern. */
export interface FoundFile {
  /** Absolute path. */
  path: string;
  /** Path below the fixed part of its pattern, with `/` and its extension. */
  below: string;
}

/** Pattern of the images in a folder. */
const IMAGES_BELOW = `**/*.{${DEFAULT_INPUT_FORMATS.flatMap((format) => FORMATS[format].extensions).join()}}`;

interface FindInput {
  patterns: string[];
  cwd: string;
  /** Output folder, absolute. Its files are no sources if it lies below the fixed part of a pattern. */
  out: string;
  /** Returns the absolute paths of earlier results, which are no sources, for the folders that are searched. */
  earlier(bases: string[]): Promise<ReadonlySet<string>>;
}

/** Finds the files of all patterns, sorted, each once. @throws CliError 2 if a pattern finds nothing */
export async function findSources({ patterns, cwd, out, earlier }: FindInput): Promise<FoundFile[]> {
  const written = patterns.map((pattern) => (sep === '\\' ? pattern.replaceAll('\\', '/') : pattern));
  const negated = written.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  const wanted = written.filter((pattern) => !pattern.startsWith('!'));
  const literals = await Promise.all(wanted.map((pattern) => kindOf(resolve(cwd, pattern))));
  // A shell may have expanded a glob to files: their common folder is the fixed part.
  const files = wanted.filter((_, index) => literals[index] === 'file').map((pattern) => resolve(cwd, pattern));
  const options = { absolute: true, expandDirectories: false, caseSensitiveMatch: false };
  const excluded = new Set(
    negated.length === 0 ? [] : (await glob(negated, { ...options, cwd })).map((path) => resolve(path)),
  );
  const found = new Map<string, FoundFile>();
  const searches = wanted.map((pattern, index) => ({ pattern, ...searchOf(pattern, literals[index], { cwd, files }) }));
  const results = await earlier(searches.map(({ base }) => base));
  for (const { pattern, base, search } of searches) {
    const ignore = ['**/node_modules/**', ...outputFolder(base, out)];
    const paths = (await glob(search, { ...options, cwd: base, ignore })).map((path) => resolve(path));
    const fresh = paths.filter((path) => !results.has(path) && !excluded.has(path));
    if (fresh.length === 0) throw usageError(`${printable(pattern)}: no files found`);
    for (const path of fresh.sort()) {
      if (!found.has(path)) found.set(path, { path, below: relative(base, path).split(sep).join('/') });
    }
  }
  return [...found.values()];
}

/** The folder to search, what its files are named below, and the pattern. */
function searchOf(
  pattern: string,
  kind: 'file' | 'folder' | undefined,
  { cwd, files }: { cwd: string; files: string[] },
) {
  const path = resolve(cwd, pattern);
  if (kind === 'folder') return { base: path, search: IMAGES_BELOW };
  if (kind === 'file') {
    const base = commonFolder(files);
    return { base, search: convertPathToPattern(relative(base, path)) };
  }
  const parts = pattern.split('/');
  const firstMagic = parts.findIndex((part) => isDynamicPattern(part) || part.includes('\\'));
  if (firstMagic < 0) throw usageError(`${printable(pattern)}: no such file or folder`);
  const fixed = parts.slice(0, firstMagic).join('/');
  const base = resolve(cwd, fixed === '' && isAbsolute(pattern) ? '/' : fixed);
  return { base, search: parts.slice(firstMagic).join('/') };
}

async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return 'folder';
  return found?.isFile() ? 'file' : undefined;
}

function commonFolder(files: string[]): string {
  let folder = dirname(files[0] ?? '');
  while (!files.every((file) => file.startsWith(folder.endsWith(sep) ? folder : folder + sep)))
    folder = dirname(folder);
  return folder;
}

/** Returns the pattern of the output folder if it lies inside the searched folder. */
function outputFolder(base: string, out: string): string[] {
  const below = relative(base, out);
  const inside = below !== '' && !below.startsWith('..') && !isAbsolute(below);
  return inside ? [`${convertPathToPattern(below)}/**`] : [];
}
